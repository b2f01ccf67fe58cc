package config

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// FileBytesMax bounds a configuration file.
const FileBytesMax = 4 << 20

// Load reads a configuration file and the signals file that it names. An error is of type Errors: every mistake found, each
// with its place. Nothing is returned with an error.
func Load(path string) (*Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, Errors{unreadable(path, err)}
	}
	return Parse(path, data, os.ReadFile)
}

// Parse is Load over bytes: name is what errors call the file and what a signals file's name is relative to; readFile reads
// that one.
func Parse(name string, data []byte, readFile func(path string) ([]byte, error)) (*Config, error) {
	c, r := read(name, data, readFile)
	if len(c.Signals) > 0 && !r.failed[""] {
		c.compile(r)
	}
	if len(r.errors) > 0 {
		r.errors.sort()
		return nil, r.errors
	}
	return c, nil
}

// read does everything but the expressions.
func read(name string, data []byte, readFile func(path string) ([]byte, error)) (*Config, *report) {
	c := Default()
	c.Version = 0 // it has no default: every file begins with it
	r := newReport(nil)
	d := &decoder{src: newSource(name, data), report: r}
	if root := d.document(data); root != nil {
		d.root(c, root, readFile)
		c.origins = r.origins
		if !r.failed[""] {
			c.validate(r)
		}
	}
	c.signalsFile = ""
	return c, r
}

// captured is the value of a key that is decoded later.
type captured struct {
	value
	node *yaml.Node
}

func (c *captured) decode(_ *decoder, _ string, n *yaml.Node) { c.node = n }

// root reads the whole configuration. Inline signals come after those of the signals file, so they are read last.
func (d *decoder) root(c *Config, root *yaml.Node, readFile func(string) ([]byte, error)) {
	keys := c.keys()
	var inline *captured
	for i := range keys {
		if keys[i].name == "signals" {
			inline = &captured{value: keys[i].value}
			keys[i].value = inline
		}
	}
	d.table("", root, keys)
	if c.signalsFile != "" && !d.report.failed["signals_file"] {
		d.signalsFile(c, readFile)
	}
	if inline.node != nil {
		d.report.origins["signals"] = origin{d.src, inline.node}
		inline.value.decode(d, "signals", inline.node)
	}
}

// signalsFile reads the file named by signals_file: `signals`, and `version` if it likes.
func (d *decoder) signalsFile(c *Config, readFile func(string) ([]byte, error)) {
	path := c.signalsFile
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(d.src.name), path)
	}
	data, err := readFile(path)
	if err != nil {
		e := unreadable(path, err)
		d.fail("signals_file", "cannot be read: "+path+": "+strings.TrimPrefix(e.Message, "cannot be read: "), e.Hint)
		return
	}
	file := &decoder{src: newSource(path, data), report: newReport(d.report.origins)}
	file.report.failed = d.report.failed
	top, version := d.report.origins[""], d.report.origins["version"]
	if root := file.document(data); root != nil {
		fileVersion := Version
		file.table("", root, []key{
			{"version", integer(&fileVersion, Version, Version), ""},
			{"signals", list[Signal]{&c.Signals, DefaultSignal, (*Signal).keys, SignalsMax}, ""},
		})
		if at, written := file.report.origins["version"]; written && at != version && fileVersion != Version {
			file.report.at(at.src.errorAtNode(at.node, "version is "+strconv.Itoa(fileVersion), "want "+strconv.Itoa(Version)), "")
		}
	}
	d.report.origins[""], d.report.origins["version"] = top, version
	if version.node == nil {
		delete(d.report.origins, "version")
	}
	d.report.errors = append(d.report.errors, file.report.errors...)
}

func unreadable(path string, err error) *Error {
	reason := err
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		reason = pathError.Err
	}
	return &Error{File: path, Message: "cannot be read: " + reason.Error(), Hint: "check the name and its permissions"}
}

// document parses the YAML. It returns nil after reporting what is wrong.
func (d *decoder) document(data []byte) *yaml.Node {
	switch {
	case len(data) > FileBytesMax:
		d.report.at(&Error{File: d.src.name, Message: "the file is larger than " + formatSize(FileBytesMax)}, "")
		return nil
	case !utf8.Valid(data):
		d.notUTF8()
		return nil
	}
	reader := yaml.NewDecoder(strings.NewReader(string(data)))
	var document, second yaml.Node
	if err := reader.Decode(&document); errors.Is(err, io.EOF) || err == nil && len(document.Content) == 0 {
		d.report.at(d.src.errorAtLine(1, "the file is empty", "begin with the line `version: 1`"), "")
		return nil
	} else if err != nil {
		d.syntax(err)
		return nil
	}
	if err := reader.Decode(&second); err == nil {
		d.report.at(d.src.errorAtLine(max(second.Line, 1), "a second document begins here", "remove what follows the line `---`"), "")
		return nil
	} else if !errors.Is(err, io.EOF) {
		d.syntax(err)
		return nil
	}
	return document.Content[0]
}

func (d *decoder) notUTF8() {
	for i, line := range d.src.lines {
		if !utf8.ValidString(line) {
			d.report.at(d.src.errorAtLine(i+1, "the line is not valid UTF-8", "save the file as UTF-8"), "")
			return
		}
	}
}

// yamlError takes a message of the YAML reader apart. It gives a line for most and a column for none.
var (
	yamlError     = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)
	refInList     = regexp.MustCompile(`\[[^']*ref\("`)
	unknownAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced`)
)

func (d *decoder) syntax(err error) {
	message := err.Error()
	line := 1
	if m := yamlError.FindStringSubmatch(message); m != nil {
		message = message[len(m[0]):]
		if m[1] != "" { // it gives none for the first line
			line, _ = strconv.Atoi(m[1])
		}
	}
	if m := unknownAnchor.FindStringSubmatch(message); m != nil { // the one error without a line elsewhere
		line = 1 + slices.IndexFunc(d.src.lines, func(text string) bool { return strings.Contains(text, "*"+m[1]) })
	}
	hint := "this is not YAML; a text with `: ` or ` #` in it, or with a first character such as * & ! % @, goes in quotes"
	for number := max(line-1, 1); number <= line+1; number++ {
		if strings.HasPrefix(strings.TrimLeft(d.src.line(number), " "), "\t") {
			line, hint = number, "indent with spaces; YAML allows no tabs here"
		}
		if refInList.MatchString(d.src.line(number)) {
			line, hint = number, `between [ and ] write 'ref("venue", "symbol")', in single quotes`
		}
	}
	d.report.at(d.src.errorAtLine(line, message, hint), "")
}
