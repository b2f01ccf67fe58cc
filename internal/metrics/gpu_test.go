package metrics

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestGPU(t *testing.T) {
	two := func(lost ...string) *GPU {
		g := &GPU{Driver: "13.0", Dispatch: "resident", Follow: true}
		for i, reason := range lost {
			g.Devices = append(g.Devices, Device{Index: i, Name: "G", Lanes: 2, Lost: reason})
		}
		return g
	}
	plain := two("")
	plain.Follow, plain.Dispatch = false, "stream"
	stopped := two("broke")
	stopped.Follow = false
	differs := two("differs")
	differs.Mismatches = 3
	for _, test := range []struct {
		name, executor, text string
		g                    *GPU
		lost                 []string
	}{
		{"none", "cpu", "cpu", nil, nil},
		{"one", "gpu", "gpu, G (device 0, 2 lanes), stream, CUDA 13.0", plain, nil},
		{"two", "gpu", "gpu, G (device 0, 2 lanes), G (device 1, 2 lanes), resident, followed by the CPU, CUDA 13.0", two("", ""), nil},
		{"one of two lost", "gpu", "gpu, G (device 0, 2 lanes), G (device 1, 2 lanes, lost: broke), resident, followed by the CPU, CUDA 13.0", two("", "broke"), []string{"device 1 lost: broke"}},
		{"all lost", "cpu", "cpu (device 0 lost: a; device 1 lost: b)", two("a", "b"), []string{"device 0 lost: a", "device 1 lost: b"}},
		{"lost, not followed", "gpu", "gpu, G (device 0, 2 lanes, lost: broke), resident, CUDA 13.0", stopped, []string{"device 0 lost: broke"}},
		{"differs", "cpu", "cpu (device 0 lost: differs, 3 rows differed)", differs, []string{"device 0 lost: differs"}},
	} {
		if got := test.g.Executor(); got != test.executor {
			t.Errorf("%s: executor %s", test.name, got)
		}
		if got := test.g.String(); got != test.text {
			t.Errorf("%s: %s", test.name, got)
		}
		if got := test.g.Lost(); !slices.Equal(got, test.lost) {
			t.Errorf("%s: %q", test.name, got)
		}
	}
	text, err := json.Marshal(two(""))
	want := `{"driver":"13.0","dispatch":"resident","follow":true,"devices":[{"index":0,"name":"G","lanes":2}],"mismatches":0}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
}
