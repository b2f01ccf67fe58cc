package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	docsFile  = "../../docs/config.md"
	docsBegin = "<!-- keys: written by go test ./internal/config -update -->\n"
	docsEnd   = "<!-- end of keys -->\n"
)

// TestDocs: the tables in docs/config.md are those of schema.go and default.go.
func TestDocs(t *testing.T) {
	data, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), docsBegin)
	got, after, ok2 := strings.Cut(rest, docsEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has no %q … %q", docsFile, docsBegin, docsEnd)
	}
	want := keyTables()
	if *update {
		if err := os.WriteFile(docsFile, []byte(before+docsBegin+want+docsEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != want {
		t.Errorf("%s is not what schema.go says; run go test ./internal/config -update", docsFile)
	}
}

// TestDocsExamples: every YAML block of docs/config.md loads.
func TestDocsExamples(t *testing.T) {
	data, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(data), "```yaml\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("no examples")
	}
	for i, block := range blocks {
		text, _, _ := strings.Cut(block, "```")
		_, err := Parse("engine.yaml", []byte(text), func(string) ([]byte, error) { return []byte("signals: []"), nil })
		if err != nil {
			t.Errorf("example %d: %v\n%s", i+1, err, text)
		}
	}
}

func keyTables() string {
	var b strings.Builder
	feed, signal, override, riskOverride := DefaultFeed(), DefaultSignal(), newOverride(), newRiskOverride()
	keyTable(&b, "", Default().keys())
	keyTable(&b, "nats", Default().NATS.keys())
	keyTable(&b, "feeds", feed.keys())
	keyTable(&b, "session", Default().Session.keys())
	keyTable(&b, "signals", signal.keys())
	keyTable(&b, "overrides", override.keys())
	keyTable(&b, "risk", Default().Risk.keys())
	keyTable(&b, "risk.overrides", riskOverride.keys())
	keyTable(&b, "engine", Default().Engine.keys())
	keyTable(&b, "publish", Default().Publish.keys())
	keyTable(&b, "control", Default().Control.keys())
	keyTable(&b, "journal", Default().Journal.keys())
	return b.String()
}

func keyTable(b *strings.Builder, name string, keys []key) {
	title := "Top level"
	if name != "" {
		title = "`" + name + "`"
	}
	fmt.Fprintf(b, "\n### %s\n\n| key | value | default | meaning |\n|---|---|---|---|\n", title)
	keyRows(b, "", keys)
	if name == "" {
		b.WriteString("\nSections and lists are described below.\n")
	}
}

func keyRows(b *strings.Builder, prefix string, keys []key) {
	for _, k := range keys {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", prefix+k.name, k.value.describe(), defaultOf(k.value), k.meaning)
		if s, ok := k.value.(section); ok && (k.name == "tls" || k.name == "pending" || k.name == "budget" || k.name == "latency" || k.name == "deadman") {
			keyRows(b, prefix+k.name+".", s.keys())
		}
	}
}

func defaultOf(v value) string {
	switch v := v.(type) {
	case section, list[Feed], list[Signal], list[Override], list[RiskOverride]:
		return ""
	case *scalar:
		if v.isNeeded {
			return "required"
		}
		if text := v.format(); text != "" {
			return "`" + text + "`"
		}
		return "none"
	case devices:
		return "all"
	case patterns:
		return "`*.*`"
	}
	return "none"
}

// TestEveryKeyIsDocumented: a key has a meaning that is a sentence.
func TestEveryKeyIsDocumented(t *testing.T) {
	rows := 0
	for line := range strings.SplitSeq(keyTables(), "\n") {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		rows++
		if !strings.HasSuffix(line, ". |") {
			t.Errorf("no sentence: %s", line)
		}
	}
	if rows < 60 {
		t.Errorf("only %d rows", rows)
	}
	if _, err := os.Stat(filepath.Dir(docsFile)); err != nil {
		t.Error(err)
	}
}
