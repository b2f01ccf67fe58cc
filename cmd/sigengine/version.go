package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// buildInfo says which build this is.
type buildInfo struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"` // with "+changes" if the tree had any
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func readBuild() buildInfo {
	b := buildInfo{Version: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	changed := ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value[:min(len(s.Value), 12)]
		case "vcs.modified":
			if s.Value == "true" {
				changed = "+changes"
			}
		}
	}
	if b.Commit != "" {
		b.Commit += changed
	}
	return b
}

// buildLine is what a journal says wrote it.
func buildLine() string {
	b := readBuild()
	return fmt.Sprintf("sigengine %s %s %s %s", b.Version, b.Commit, b.Go, b.Platform)
}

func newVersion(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print which build this is",
		Example: "  sigengine version\n  sigengine version --json",
		Args:    noArgs,
		RunE: run(func(context.Context, []string) error {
			b := readBuild()
			if asJSON {
				return a.printJSON(b)
			}
			commit := ""
			if b.Commit != "" {
				commit = " (" + b.Commit + ")"
			}
			_, err := fmt.Fprintf(a.out, "sigengine %s%s %s %s\n", b.Version, commit, b.Go, b.Platform)
			return err
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// printJSON prints one object on one line.
func (a *app) printJSON(v any) error {
	encoder := json.NewEncoder(a.out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}
