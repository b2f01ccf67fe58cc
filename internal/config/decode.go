package config

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// report collects mistakes by key and finds the places where the keys were written.
type report struct {
	errors  Errors
	origins map[string]origin
	failed  map[string]bool // keys with a mistake already; what depends on them is not judged
}

func newReport(origins map[string]origin) *report {
	if origins == nil {
		origins = make(map[string]origin)
	}
	return &report{origins: origins, failed: make(map[string]bool)}
}

// at adds a mistake whose place is known.
func (r *report) at(e *Error, path string) {
	e.Path = path
	r.errors = append(r.errors, e)
	r.failed[path] = true
}

// add adds the mistake `<key> <wrong>`, at the key's value or, if it was not written, at the nearest thing around it.
func (r *report) add(path, wrong, hint string) {
	if r.failed[path] {
		return
	}
	message := lastName(path) + " " + wrong
	for around := path; ; around = parent(around) {
		if o, ok := r.origins[around]; ok {
			r.at(o.src.errorAtNode(o.node, message, hint), path)
			return
		}
		if around == "" {
			r.at(&Error{Message: message, Hint: hint}, path)
			return
		}
	}
}

// failedIn reports whether a part of a key's value has a mistake.
func (r *report) failedIn(path string) bool {
	for failed := range r.failed {
		if strings.HasPrefix(failed, path+"[") {
			return true
		}
	}
	return false
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// parent takes the last name or index off a path.
func parent(path string) string {
	return path[:max(strings.LastIndexAny(path, ".["), 0)]
}

// lastName is what to call a path in a message: its last name, with the index if it ends with one.
func lastName(path string) string {
	if path == "" {
		return "the file"
	}
	return path[strings.LastIndexByte(path, '.')+1:]
}

// hintOf turns one of this package's parse errors into a hint.
func hintOf(err error) string { return strings.TrimPrefix(err.Error(), "config: ") }

// decoder reads the nodes of one source.
type decoder struct {
	src    *source
	report *report
}

// fail adds the mistake `<key> <wrong>`.
func (d *decoder) fail(path, wrong, hint string) { d.report.add(path, wrong, hint) }

var kindNames = map[yaml.Kind]string{
	yaml.ScalarNode: "a single value", yaml.SequenceNode: "a list", yaml.MappingNode: "a section", yaml.AliasNode: "an alias",
}

// plainValue reports whether a value is of the kind wanted and free of what this form does not use.
func (d *decoder) plainValue(path string, n *yaml.Node, kind yaml.Kind, want string) bool {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		d.fail(path, "uses an anchor or alias", "write the value out")
	case n.Style&yaml.TaggedStyle != 0:
		d.fail(path, "has a tag", "remove "+n.Tag)
	case n.Tag == "!!null":
		d.fail(path, "has no value", "want "+want+"; leave the key out for its default")
	case n.Kind != kind:
		d.fail(path, "is "+kindNames[n.Kind], "want "+want)
	default:
		return true
	}
	return false
}

// table reads a section: every key known, none twice.
func (d *decoder) table(path string, n *yaml.Node, keys []key) {
	d.report.origins[path] = origin{d.src, n}
	if !d.plainValue(path, n, yaml.MappingNode, "a section of `key: value` lines") {
		return
	}
	lines := make(map[string]int, len(keys))
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, v := n.Content[i], n.Content[i+1]
		k, ok := findKey(keys, name)
		if !ok {
			d.unknownKey(path, name, keys)
			continue
		}
		if first, twice := lines[k.name]; twice {
			d.report.at(d.src.errorAtNode(name, "key "+k.name+" is given twice", "it is also on line "+strconv.Itoa(first)), join(path, k.name))
			continue
		}
		lines[k.name] = name.Line
		at := join(path, k.name)
		d.report.origins[at] = origin{d.src, v}
		k.value.decode(d, at, v)
	}
}

func findKey(keys []key, name *yaml.Node) (key, bool) {
	for _, k := range keys {
		if name.Kind == yaml.ScalarNode && name.Value == k.name {
			return k, true
		}
	}
	return key{}, false
}

func (d *decoder) unknownKey(path string, name *yaml.Node, keys []key) {
	if name.Kind != yaml.ScalarNode {
		d.report.at(d.src.errorAtNode(name, "a key must be a name", ""), path)
		return
	}
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	hint := "keys here: " + strings.Join(names, ", ")
	if near := nearest(name.Value, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	where := ""
	if path != "" {
		where = " in " + lastName(path)
	}
	d.report.at(d.src.errorAtNode(name, "unknown key "+strconv.Quote(name.Value)+where, hint), join(path, name.Value))
}
