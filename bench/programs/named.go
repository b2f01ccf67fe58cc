package programs

import "embed"

//go:embed *.yaml
var all embed.FS

// Named returns the text of a frozen set of signals by its file name, such as six.yaml.
func Named(name string) (text string, ok bool) {
	b, err := all.ReadFile(name)
	return string(b), err == nil
}
