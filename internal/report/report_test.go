package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/internal/metrics"
)

// TestString: the table says what ran the program and, of a demo, what became of the market.
func TestString(t *testing.T) {
	gpu := &metrics.GPU{Driver: "13.0", Dispatch: "resident", Follow: true, Devices: []metrics.Device{{Name: "G", Lanes: 1}}}
	lost := &metrics.GPU{Follow: true, Devices: []metrics.Device{{Name: "G", Lanes: 1, Lost: "it broke"}}}
	for _, test := range []struct {
		result Result
		want   string
	}{
		{Result{Executor: "cpu", Mode: "fused", Lanes: 1, Batch: 64}, "executor   cpu, fused, 1 lanes, batches of up to 64\n"},
		{Result{Executor: "gpu", GPU: gpu, Mode: "staged", Lanes: 1, Batch: 64}, "executor   gpu, G (device 0, 1 lanes), resident, followed by the CPU, CUDA 13.0, staged, 1 lanes"},
		{Result{Executor: "cpu", GPU: lost, Mode: "fused"}, "executor   cpu (device 0 lost: it broke), fused, 0 lanes"},
		{Result{Market: &Market{Ticks: 10, Messages: 5, Late: 2, Lost: 1}}, "market     10 ticks sent in 5 messages, 2 of them over 1 ms late; 1 lost by NATS before they were decoded\n"},
	} {
		if got := test.result.String(); !strings.Contains(got, test.want) {
			t.Errorf("no %q in\n%s", test.want, got)
		}
	}
	text, err := json.Marshal(Result{Executor: "cpu"})
	if err != nil || strings.Contains(string(text), "market") || strings.Contains(string(text), `"gpu"`) || !strings.Contains(string(text), `"executor":"cpu"`) {
		t.Errorf("%s, %v", text, err)
	}
}
