package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/gpu"
)

// TestBenchPipeline runs the whole of it small, with its child processes.
func TestBenchPipeline(t *testing.T) {
	dir := t.TempDir()
	command := exec.Command(os.Args[0], "bench", "pipeline", "--length", "300ms", "--rate", "2000", "--pairs", "1", "-o", dir, "--json")
	command.Env = append(os.Environ(), asMain+"=1")
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	kept, err := os.ReadFile(filepath.Join(dir, "pipeline.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{out, kept} {
		var r struct {
			Ratios map[string]float64
			Engine struct{ Ticks, Signals uint64 }
			Raw    struct {
				Pairs []struct {
					Relay struct{ Messages int64 } `json:"relay_process_to_process"`
				}
			}
		}
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		if r.Engine.Ticks < 300 || !(r.Ratios["engine_over_relay_p50"] >= 0) || len(r.Raw.Pairs) != 1 || r.Raw.Pairs[0].Relay.Messages < 2 {
			t.Errorf("unlikely result: %+v", r)
		}
	}
}

// TestBenchGPUWithoutOne: one line says what is missing, and the exit code that it failed.
func TestBenchGPUWithoutOne(t *testing.T) {
	if present, _ := gpu.Present(); present {
		t.Skip("there is a GPU here")
	}
	for _, args := range [][]string{{"bench", "gpu", "-o", t.TempDir()}, {"bench", "gpu"}, {"bench", "child", "gpu-memory"}} {
		var out, errs bytes.Buffer
		a := &app{in: strings.NewReader(""), out: &out, err: &errs, lookupEnv: func(string) (string, bool) { return "", false }}
		if code := a.execute(t.Context(), args); code != exitRuntime {
			t.Errorf("%q: exit %d, want %d", args, code, exitRuntime)
		}
		if text := errs.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "no GPU") || out.Len() > 0 {
			t.Errorf("%q: said %q and %q", args, text, out.String())
		}
	}
}
