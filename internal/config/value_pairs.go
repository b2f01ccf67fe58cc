package config

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Bounds of lists in a signal.
const (
	pairsMax     = 256
	overridesMax = 256
)

func quote(text string) string { return strconv.Quote(text) }

// pairs is the value of `let` and `params`: names and their texts, in the order written.
type pairs struct {
	field *[]Named
	what  string
}

func (p pairs) describe() string { return "names, and for each " + p.what }

func (p pairs) decode(d *decoder, path string, n *yaml.Node) {
	*p.field = nil
	if !d.plainValue(path, n, yaml.MappingNode, "a section of `name: "+p.what+"` lines") {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, v := n.Content[i], n.Content[i+1]
		at := join(path, name.Value)
		if !signalName.MatchString(name.Value) || name.Kind != yaml.ScalarNode {
			d.report.at(d.src.errorAtNode(name, quote(name.Value)+" is no name here", "want "+signalNameNote), at)
			continue
		}
		if p.index(name.Value) >= 0 {
			d.report.at(d.src.errorAtNode(name, name.Value+" is given twice", "names are unique"), at)
			continue
		}
		d.report.origins[at] = origin{d.src, v}
		if d.plainValue(at, v, yaml.ScalarNode, p.what) {
			*p.field = append(*p.field, Named{Name: name.Value, Text: v.Value})
		}
	}
}

func (p pairs) index(name string) int {
	for i, x := range *p.field {
		if x.Name == name {
			return i
		}
	}
	return -1
}

func (p pairs) check(r *report, path string) {
	if len(*p.field) > pairsMax {
		r.add(path, fmt.Sprintf("has more than %d entries", pairsMax), "")
	}
	for i, x := range *p.field {
		at := join(path, x.Name)
		switch wrong, hint := verifyText(x.Text, expressionBytesMax, true); {
		case !signalName.MatchString(x.Name):
			r.add(path, "has the name "+quote(x.Name), "want "+signalNameNote)
		case p.index(x.Name) < i:
			r.add(path, "has "+x.Name+" twice", "names are unique")
		case wrong != "":
			r.add(at, wrong, hint)
		}
	}
}

func (p pairs) encode() *yaml.Node {
	if len(*p.field) == 0 {
		return nil
	}
	table := &yaml.Node{Kind: yaml.MappingNode}
	for _, x := range *p.field {
		table.Content = append(table.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: x.Name}, textNode(x.Text))
	}
	return table
}

// textNode is a text as String writes it.
func textNode(text string) *yaml.Node {
	n := (&scalar{tag: "!!str", format: func() string { return text }}).encode()
	if n == nil {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle}
	}
	return n
}

// evaluators is the value of `on`. What the texts mean, package kernels says.
type evaluators struct{ field *[]string }

func (e evaluators) describe() string {
	return "`self`, `ref(\"venue\", \"symbol\")`, a list of these, or `clock(100ms)`"
}

func (e evaluators) decode(d *decoder, path string, n *yaml.Node) {
	*e.field = nil
	words(d, path, n, e.describe(), func(text string) error {
		*e.field = append(*e.field, text)
		return nil
	})
}

func (e evaluators) check(r *report, path string) {
	if len(*e.field) > pairsMax {
		r.add(path, fmt.Sprintf("has more than %d entries", pairsMax), "")
	}
	for _, text := range *e.field {
		if wrong, hint := verifyText(text, 4096, false); wrong != "" {
			r.add(path, wrong, hint)
		}
	}
}

func (e evaluators) encode() *yaml.Node {
	switch len(*e.field) {
	case 0:
		return nil
	case 1:
		return textNode((*e.field)[0])
	}
	n := &yaml.Node{Kind: yaml.SequenceNode}
	for _, text := range *e.field {
		n.Content = append(n.Content, textNode(text))
	}
	return n
}

// itemPath is where an item of a list was written: the list itself if it is one text alone.
func (r *report) itemPath(path string) string {
	if _, ok := r.origins[path]; !ok && strings.HasSuffix(path, "]") {
		return parent(path)
	}
	return path
}
