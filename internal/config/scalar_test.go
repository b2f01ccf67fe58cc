package config

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

// TestErrorInScalar puts the caret under the word BAD wherever YAML lets an expression stand.
func TestErrorInScalar(t *testing.T) {
	tests := []struct {
		name, yaml   string
		line, column int
	}{
		{"plain", "value: mid + BAD\n", 1, 14},
		{"plain with a comment", "value: mid + BAD # BAD\n", 1, 14},
		{"plain over lines", "value: mid +\n  1 +   \n\n   \t BAD * 2\n", 4, 6},
		{"single quoted", "value: 'it''s BAD'\n", 1, 15},
		{"single quoted over lines", "value: 'a\n\n  b''\n   BAD'\n", 4, 4},
		{"double quoted", `value: "\x61\u00e9\U0001F600\t BAD"` + "\n", 1, 32},
		{"double quoted over lines", "value: \"a \\\n   b\\  \n  BAD\"\n", 3, 3},
		{"literal", "value: |\n  a\n\n   b\n  BAD\n", 5, 3},
		{"literal with indicators", "value: |2-  # note\n   a\n  BAD\n", 3, 3},
		{"literal, carriage returns", "value: |\r\n  a\r\n  BAD\r\n", 3, 3},
		{"folded", "value: >\n  a\n  b\n\n  c BAD\n", 5, 5},
		{"folded with indented lines", "value: >-\n  a\n\n    x\n    y\n\n  b\n  BAD\n", 8, 3},
		{"folded, blank lines first", "value: >\n\n\n  a\n  BAD\n", 5, 3},
		{"folded, keys after it", "value: >\n  a\n  BAD\nafter: 1\n", 3, 3},
		{"literal, keys after it", "x: 1\nvalue: |+\n  a\n  BAD\n\n\n# note\nafter: 1\n", 4, 3},
		{"letters before it", "value: é + 世 + BAD\n", 1, 16},
		{"inside a flow mapping", "{a: 1, value: mid + BAD, b: 2}\n", 1, 21},
		{"next line breaks", "value: |\u0085  a\u0085  BAD\u0085", 3, 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			node := valueNode(t, test.yaml)
			offset := strings.Index(node.Value, "BAD")
			if offset < 0 {
				t.Fatalf("no BAD in %q", node.Value)
			}
			e := newSource("f", []byte(test.yaml)).errorInScalar(node, offset, 3, "m", "")
			if e.Line != test.line || e.Column != test.column || e.Length != 3 {
				t.Errorf("got %d:%d length %d, want %d:%d length 3\n%s", e.Line, e.Column, e.Length, test.line, test.column, e.Render())
			}
		})
	}
}

// valueNode returns the node of the key `value` at the top of a text.
func valueNode(t interface{ Fatal(...any) }, text string) *yaml.Node {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	top := document.Content[0]
	for i := 0; i < len(top.Content); i += 2 {
		if top.Content[i].Value == "value" {
			return top.Content[i+1]
		}
	}
	t.Fatal("no value")
	return nil
}

// TestErrorInScalarEnds holds the edges: the end of the text, beyond it, and a span over two lines.
func TestErrorInScalarEnds(t *testing.T) {
	text := "value: |\n  abc\n  de\n"
	node := valueNode(t, text)
	src := newSource("f", []byte(text))
	for _, test := range []struct{ offset, length, line, column, want int }{
		{7, 0, 3, 5, 1},   // the end: after the last letter
		{1, 5, 2, 4, 2},   // from b over the line break: underlined to the end of its line
		{5, 2, 3, 4, 1},   // e and the line break
		{99, 1, 1, 8, 1},  // outside: the scalar itself
		{-1, 1, 1, 8, 1},  //
		{0, 999, 2, 3, 3}, //
	} {
		e := src.errorInScalar(node, test.offset, test.length, "m", "")
		if e.Line != test.line || e.Column != test.column || e.Length != test.want {
			t.Errorf("offset %d length %d: got %d:%d+%d, want %d:%d+%d", test.offset, test.length,
				e.Line, e.Column, e.Length, test.line, test.column, test.want)
		}
	}
}

// TestScalarPlacesProperty: whatever the YAML writer makes of a text, every byte that was not escaped is found where it says.
func TestScalarPlacesProperty(t *testing.T) {
	styles := []yaml.Style{0, yaml.DoubleQuotedStyle, yaml.SingleQuotedStyle, yaml.LiteralStyle, yaml.FoldedStyle}
	words := rapid.SampledFrom([]string{"a", "mid", "(", "é", "世", "'", `"`, `\`, " ", "  ", "\n", "\n\n", "\t", "#", ": ", "-", "x > 1", "%"})
	traced := 0
	after := []*yaml.Node{{Kind: yaml.ScalarNode, Value: "after"}, {Kind: yaml.ScalarNode, Value: "1"}}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(words, 0, 12).Draw(t, "text"), "")
		style := rapid.SampledFrom(styles).Draw(t, "style")
		var b bytes.Buffer
		encoder := yaml.NewEncoder(&b)
		encoder.SetIndent(rapid.IntRange(2, 6).Draw(t, "indent"))
		outer := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
			{Kind: yaml.ScalarNode, Value: "value"}, {Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Style: style},
		}}
		if rapid.Bool().Draw(t, "more keys") {
			outer.Content = append(outer.Content, after...)
		}
		if err := encoder.Encode(outer); err != nil {
			t.Fatal(err)
		}
		var document yaml.Node
		if err := yaml.Unmarshal(b.Bytes(), &document); err != nil {
			t.Skip("the writer's own fault: ", err)
		}
		node := document.Content[0].Content[1]
		src := newSource("f", b.Bytes())
		places := src.scalarPlaces(node)
		if places == nil {
			t.Fatalf("not traced: %q as %q", node.Value, b.String())
		}
		traced++
		checkPlaces(t, src, node, places)
	})
	if traced == 0 {
		t.Error("nothing was traced")
	}
}

func checkPlaces(t *rapid.T, src *source, node *yaml.Node, places []position) {
	if len(places) != len(node.Value)+1 {
		t.Fatalf("%d places for %d bytes", len(places), len(node.Value))
	}
	for i, r := range node.Value {
		at := places[i]
		line := []rune(src.line(at.line))
		if r == ' ' || r == '\n' || r == '\t' || r == '\'' || r == '"' || r == '\\' || at.column > len(line) {
			continue // may be folded or escaped
		}
		if got := line[at.column-1]; got != r && got != '\\' {
			t.Fatalf("byte %d, %q, is said to be at %d:%d, where %q is\n%s", i, r, at.line, at.column, got, strings.Join(src.lines, "\n"))
		}
	}
}

func TestSplitLines(t *testing.T) {
	got := splitLines("a\nb\r\nc\rd\u0085e\u2028f\u2029\n")
	want := []string{"a", "b", "c", "d", "e", "f", "", ""}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q", got)
	}
}

func TestRenderKeepsTerminalsSafe(t *testing.T) {
	e := newSource("f", []byte("a\x1b[31mb\tc")).errorAt(position{1, 8}, 5, "m", "h")
	want := "f:1:8: m\n    1 | a·[31mb\tc\n      |        ^~\n  hint: h\n"
	if got := e.Render(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !utf8.ValidString(e.Render()) {
		t.Error("not UTF-8")
	}
}
