package expr

import "fmt"

// reserved words may name nothing of the user's: they have a meaning now or are kept for one.
var reserved = map[string]bool{
	"and": true, "or": true, "not": true, "true": true, "false": true, "value": true,
	"of": true, "ref": true, "let": true, "params": true, "clock": true, "session": true, "self": true,
}

// Reserved says whether a name is a word of the language.
func Reserved(name string) bool { return reserved[name] }

// CheckName returns what is wrong with a name that a user wants to give a signal, a let or a parameter, or "".
func (c *Catalogue) CheckName(name string) string {
	switch {
	case name == "":
		return "a signal needs a name"
	case len(name) > maxSuggestBytes:
		return fmt.Sprintf("name is too long: %d bytes, the limit is %d", len(name), maxSuggestBytes)
	case !isNameStart(name[0]) || scanName(name, 0) != len(name):
		return fmt.Sprintf("%q is not a name: use a-z, 0-9 and _, not starting with a digit", name)
	case Reserved(name):
		return fmt.Sprintf("%q is a word of the language", name)
	case c.fields[name]:
		return fmt.Sprintf("%q is a field", name)
	case c.operators[name] != nil:
		return fmt.Sprintf("%q is an operator", name)
	}
	return ""
}
