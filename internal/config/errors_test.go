package config

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite expected results")

// TestMistakes reads testdata/*.txt: the configuration, a line `----`, and what Render says of it; `ok` if nothing. A line
// `---- NAME` begins another file, which a configuration may name as its signals file. Cases are parted by a line `====`.
func TestMistakes(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			cases := strings.Split(string(data), "\n====\n")
			for i, c := range cases {
				input, want, ok := strings.Cut(c+"\n", "\n----\n")
				if !ok {
					t.Fatalf("case %d has no line ----", i+1)
				}
				got := renderOf(input)
				if *update {
					cases[i] = input + "\n----\n" + got
				} else if strings.TrimRight(got, "\n") != strings.TrimRight(want, "\n") {
					t.Errorf("case %d:\n%s\n---- got\n%s---- want\n%s", i+1, input, got, want)
				}
			}
			if *update {
				text := strings.TrimRight(strings.Join(cases, "\n====\n"), "\n") + "\n"
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// renderOf parses a case. In it, "\t" written as →, and <cr>, <ff> stand for bytes that editors spoil.
func renderOf(input string) string {
	spoilt := strings.NewReplacer("→", "\t", "<cr>", "\r", "<ff>", "\xff", "<bom>", "\ufeff")
	parts := strings.Split(input, "\n---- ")
	others := make(map[string]string)
	for _, p := range parts[1:] {
		name, text, _ := strings.Cut(p, "\n")
		others[name] = spoilt.Replace(text)
	}
	_, err := Parse("conf/engine.yaml", []byte(spoilt.Replace(parts[0])), func(path string) ([]byte, error) {
		if text, ok := others[path]; ok {
			return []byte(text), nil
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	})
	var mistakes Errors
	switch {
	case err == nil:
		return "ok\n"
	case errors.As(err, &mistakes):
		return mistakes.Render()
	}
	return "error of another type: " + err.Error()
}
