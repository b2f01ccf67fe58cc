package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
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
