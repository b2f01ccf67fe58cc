package config

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// section is a value that is a table of keys of its own.
type section struct{ keys func() []key }

func (s section) describe() string { return "a section" }

func (s section) decode(d *decoder, path string, n *yaml.Node) { d.table(path, n, s.keys()) }

func (s section) check(r *report, path string) { checkKeys(r, path, s.keys()) }

func (s section) encode() *yaml.Node { return encodeKeys(s.keys()) }

func checkKeys(r *report, path string, keys []key) {
	for _, k := range keys {
		k.value.check(r, join(path, k.name))
	}
}

func encodeKeys(keys []key) *yaml.Node {
	table := &yaml.Node{Kind: yaml.MappingNode}
	for _, k := range keys {
		if v := k.value.encode(); v != nil {
			table.Content = append(table.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: k.name}, v)
		}
	}
	if len(table.Content) == 0 {
		return nil
	}
	return table
}

// list is a value that is a list of sections.
type list[T any] struct {
	field *[]T
	fresh func() T
	keys  func(*T) []key
	most  int
}

func (l list[T]) describe() string { return "a list" }

func (l list[T]) decode(d *decoder, path string, n *yaml.Node) {
	if !d.plainValue(path, n, yaml.SequenceNode, "a list") {
		return
	}
	for _, item := range n.Content {
		index := len(*l.field)
		if index == l.most {
			d.report.at(d.src.errorAtNode(item, fmt.Sprintf("%s has more than %d entries", path, l.most), ""), path)
			return
		}
		*l.field = append(*l.field, l.fresh())
		d.table(path+"["+strconv.Itoa(index)+"]", item, l.keys(&(*l.field)[index]))
	}
}

func (l list[T]) check(r *report, path string) {
	if len(*l.field) > l.most {
		r.add(path, fmt.Sprintf("has more than %d entries", l.most), "")
	}
	for i := range *l.field {
		checkKeys(r, path+"["+strconv.Itoa(i)+"]", l.keys(&(*l.field)[i]))
	}
}

func (l list[T]) encode() *yaml.Node {
	if len(*l.field) == 0 {
		return nil
	}
	n := &yaml.Node{Kind: yaml.SequenceNode}
	for i := range *l.field {
		n.Content = append(n.Content, encodeKeys(l.keys(&(*l.field)[i])))
	}
	return n
}

// words reads a list of texts, or one text alone, and gives each to parse.
func words(d *decoder, path string, n *yaml.Node, what string, parse func(text string) error) {
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		if !d.plainValue(path, n, yaml.SequenceNode, what) {
			return
		}
		items = n.Content
	}
	for i, item := range items {
		at := path
		if n.Kind == yaml.SequenceNode {
			at = path + "[" + strconv.Itoa(i) + "]"
			d.report.origins[at] = origin{d.src, item}
		}
		if !d.plainValue(at, item, yaml.ScalarNode, what) {
			continue
		}
		if err := parse(item.Value); err != nil {
			d.fail(at, "is "+strconv.Quote(item.Value), hintOf(err))
		}
	}
}

func encodeWords(texts []string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, t := range texts {
		n.Content = append(n.Content, (&scalar{tag: "!!str", format: func() string { return t }}).encode())
	}
	return n
}

// patternsMax bounds a signal's `for`.
const patternsMax = 256

// patterns is the value of `for`.
type patterns struct{ field *[]Pattern }

func (p patterns) describe() string { return "a pattern or a list of patterns" }

func (p patterns) decode(d *decoder, path string, n *yaml.Node) {
	*p.field = nil
	words(d, path, n, p.describe(), func(text string) error {
		pattern, err := ParsePattern(text)
		if err == nil {
			*p.field = append(*p.field, pattern)
		}
		return err
	})
}

func (p patterns) check(r *report, path string) {
	switch {
	case len(*p.field) == 0 && r.failedIn(path): // said already
	case len(*p.field) == 0:
		r.add(path, "selects nothing", "leave it out to select every instrument")
	case len(*p.field) > patternsMax:
		r.add(path, fmt.Sprintf("has more than %d patterns", patternsMax), "")
	}
	for i, pattern := range *p.field {
		if _, err := ParsePattern(pattern.String()); err != nil {
			r.add(path+"["+strconv.Itoa(i)+"]", "is "+strconv.Quote(pattern.String()), hintOf(err))
		} else if wrong, hint := verifyText(pattern.String(), 256, false); wrong != "" {
			r.add(path+"["+strconv.Itoa(i)+"]", wrong, hint)
		}
	}
}

func (p patterns) encode() *yaml.Node {
	texts := make([]string, len(*p.field))
	for i, pattern := range *p.field {
		texts[i] = pattern.String()
	}
	return encodeWords(texts)
}

// killsMax bounds `risk.kill`.
const killsMax = 4096

// kills is the value of `kill`.
type kills struct{ field *[]Kill }

func (k kills) describe() string {
	return "a list of `all`, `signal:NAME`, `instrument:venue.symbol`"
}

func (k kills) decode(d *decoder, path string, n *yaml.Node) {
	*k.field = nil
	words(d, path, n, "a list", func(text string) error {
		kill, err := ParseKill(text)
		if err == nil {
			*k.field = append(*k.field, kill)
		}
		return err
	})
}

func (k kills) check(r *report, path string) {
	if len(*k.field) > killsMax {
		r.add(path, fmt.Sprintf("has more than %d entries", killsMax), "")
	}
	for i, kill := range *k.field {
		at := path + "[" + strconv.Itoa(i) + "]"
		if parsed, err := ParseKill(kill.String()); err != nil || parsed != kill {
			r.add(at, "is "+strconv.Quote(kill.String()), hintOf(ErrKill))
		} else if wrong, hint := verifyText(kill.String(), 256, false); wrong != "" {
			r.add(at, wrong, hint)
		}
	}
}

func (k kills) encode() *yaml.Node {
	if len(*k.field) == 0 {
		return nil
	}
	texts := make([]string, len(*k.field))
	for i, kill := range *k.field {
		texts[i] = kill.String()
	}
	return encodeWords(texts)
}
