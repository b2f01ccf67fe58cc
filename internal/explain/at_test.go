package explain

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/replay"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/risk"
	"github.com/sigengine/sigengine/signal"
)

// TestAt runs testdata/at/*.txt: a configuration, ticks, then questions (-- ask SEQ [SIGNAL...] [@VENUE.SYMBOL]) with
// their answers.
func TestAt(t *testing.T) {
	files, err := filepath.Glob("testdata/at/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts in testdata/at")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			got := runScript(t, fileText(t, file))
			golden(t, file, got)
		})
	}
}

// runScript returns the script with its answers as they are now.
func runScript(t *testing.T, text string) string {
	var out strings.Builder
	var store journal.Store
	sections := strings.Split("\n"+text, "\n-- ")
	out.WriteString(strings.TrimPrefix(sections[0], "\n"))
	settings := ""
	for _, section := range sections[1:] {
		head, body, _ := strings.Cut(section, "\n")
		if out.Len() > 0 {
			out.WriteString("\n")
		}
		out.WriteString("-- " + head + "\n")
		words := strings.Fields(head)
		switch words[0] {
		case "config":
			settings = body + "\n"
		case "ticks":
			r := newRecord(t, settings)
			for line := range strings.Lines(body) {
				if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
					r.line(line)
				}
			}
			store = r.close()
		case "ask":
			body = strings.TrimRight(ask(t, store, words[1:]), "\n")
		}
		out.WriteString(body)
	}
	return strings.TrimRight(out.String(), "\n") + "\n"
}

func ask(t *testing.T, store journal.Store, words []string) string {
	t.Helper()
	seq, err := strconv.ParseUint(words[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	q := Question{Seq: seq}
	for _, w := range words[1:] {
		if instrument, is := strings.CutPrefix(w, "@"); is {
			q.Instrument = instrument
		} else {
			q.Signals = append(q.Signals, w)
		}
	}
	answer, err := At(store, q)
	if err != nil {
		return "error: " + err.Error()
	}
	return answer.String()
}

// explained is what an observer of a whole replay adds up.
type explained struct {
	rejected [risk.GateCount]uint64
	decided  []string
}

// watch replays with a program and explains every signal of every event.
func watch(t *testing.T, store journal.Store, program func(*config.Config) *kernels.Compiled) (replay.Result, *explained, []signal.Body) {
	t.Helper()
	x := &explained{}
	sink := &bodies{}
	result, err := replay.Play(store, replay.Options{
		Sink: sink,
		Prepare: func(c *config.Config, e *engine.Config, ports *engine.Ports) error {
			e.Program = program(c).Program
			ports.Observe = func(o engine.Observation) {
				for i := range c.Signals {
					if !o.HasSlot() {
						return
					}
					switch one := o.Explain(i); {
					case one.Decides:
						x.decided = append(x.decided, one.Action.String()+" "+one.Signal+" "+strconv.FormatUint(one.Output, 10))
					case one.When:
						x.rejected[one.Refused]++
					}
				}
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return result, x, sink.list
}

type bodies struct{ list []signal.Body }

func (b *bodies) Emit(_ uint32, body *signal.Body, _ int64) uint8 {
	b.list = append(b.list, *body)
	return 0
}

// TestProbeReplaysToTheSameHash: genuine ticks under the plain program and under the probe give the same output, and what
// is explained on the way is what the desk counts and decides.
func TestProbeReplaysToTheSameHash(t *testing.T) {
	store := capture(t, liveConfig)
	plain, first, decided := watch(t, store, func(c *config.Config) *kernels.Compiled {
		compiled, err := c.Compile()
		if err != nil {
			t.Fatal(err)
		}
		return compiled
	})
	probed, second, _ := watch(t, store, func(c *config.Config) *kernels.Compiled {
		probe, mistakes := kernels.CompileProbe(c.Specs(), c.Options(), expr.Ref(0))
		if mistakes != nil {
			t.Fatal(mistakes)
		}
		return probe.Compiled
	})
	if plain.Signals < 20 || plain.OutputHash != probed.OutputHash || plain.Signals != probed.Signals || plain.Suppressed != probed.Suppressed {
		t.Fatalf("plain %d signals, %s; probe %d, %s", plain.Signals, plain.OutputHash, probed.Signals, probed.OutputHash)
	}
	for _, x := range []*explained{first, second} {
		for i, count := range plain.Rejected {
			if gate := risk.Gate(i + 1); x.rejected[gate] != count.N {
				t.Errorf("gate %s: %d explained, %d counted", gate, x.rejected[gate], count.N)
			}
		}
		if len(x.decided) != len(decided) {
			t.Fatalf("%d explained, %d decided", len(x.decided), len(decided))
		}
		for i, b := range decided {
			if want := b.Action.String() + " " + b.Signal + " " + strconv.FormatUint(b.OutputSequence, 10); x.decided[i] != want {
				t.Fatalf("signal %d: explained %s, decided %s", i, x.decided[i], want)
			}
		}
	}
	explainDecided(t, store, decided)
}

// liveConfig fires often on the capture.
const liveConfig = `version: 1
feeds: [{name: a, subject: md.a, codec: json}]
signals:
  - name: drift
    value: zscore(microprice - ema(mid, 20), 100)
    when: abs(value) > 2
    exit: abs(value) < 0.5
    side: -sign(value)
    throttle: 200ms
    expires: 2s
    for: "*"
  - name: takers
    value: sma(size * aggressor, 20)
    when: crosses(value, 0)
    strength: drift
    for: "*"
`

// explainDecided asks about decided signals: the answer's values are those of the record, to the bit.
func explainDecided(t *testing.T, store journal.Store, decided []signal.Body) {
	for i := 0; i < len(decided); i += max(1, len(decided)/8) {
		b := decided[i]
		if b.Action == signal.ActionWithdraw {
			continue
		}
		answer, err := At(store, Question{Seq: b.Sequence, Signals: []string{b.Signal}})
		if err != nil {
			t.Fatal(err)
		}
		e := answer.Evaluations[0]
		s := e.Signals[0]
		if want := string(signal.AppendJSON(nil, &b, nil)); string(s.Decided) != want || !s.Evaluated {
			t.Fatalf("tick %d: record %s, want %s", b.Sequence, s.Decided, want)
		}
		for _, p := range s.Parts {
			want, is := map[string]float64{"value": b.Value, "side": b.Side, "strength": b.Strength}[p.Name]
			if !is {
				continue
			}
			for _, n := range e.Nodes {
				if n.ID == p.Node && (n.Value == nil) != (want != want) || n.ID == p.Node && n.Value != nil && math.Float64bits(float64(*n.Value)) != math.Float64bits(want) {
					t.Errorf("tick %d: %s is %s, the record has %v", b.Sequence, p.Name, n.Value, want)
				}
			}
		}
		if !strings.HasPrefix(s.Outcome, "Decided: "+b.Action.String()) {
			t.Errorf("tick %d: %s, decided %s", b.Sequence, s.Outcome, b.Action)
		}
		text, err := json.Marshal(answer)
		if err != nil || !json.Valid(text) {
			t.Errorf("%v", err)
		}
	}
}

// TestManyNodes: nodes that do not fit one row come in several replays, and all are in the answer.
func TestManyNodes(t *testing.T) {
	var b strings.Builder
	b.WriteString("version: 1\nfeeds: [{name: a, subject: md.a, codec: json}]\nsignals:\n")
	for i := range 60 {
		terms := make([]string, 30)
		for k := range terms {
			terms[k] = "bid * " + strconv.Itoa(2+i*len(terms)+k)
		}
		b.WriteString("  - {name: s_" + strconv.Itoa(i) + ", value: \"(" + strings.Join(terms, " + ") + ") * 0 + mid\", when: value > 0, for: \"*\"}\n")
	}
	r := newRecord(t, b.String())
	for i := range 20 {
		r.line("quote v.A " + strconv.Itoa(i) + " 1 1 2 1")
	}
	store := r.close()
	c, err := config.Parse("t", []byte(b.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	probe, mistakes := kernels.CompileProbe(c.Specs(), c.Options(), 0)
	if mistakes != nil || probe.Next == expr.None {
		t.Fatalf("one row is enough: the test shows nothing (%v)", mistakes)
	}
	answer, err := At(store, Question{Seq: 10})
	if err != nil {
		t.Fatal(err)
	}
	shown := map[int]bool{}
	for _, n := range answer.Evaluations[0].Nodes {
		shown[n.ID] = true
	}
	for ref := range probe.Nodes {
		if probe.Nodes[ref].Used && !shown[ref] {
			t.Fatalf("node %d is not in the answer", ref)
		}
	}
}

// TestSecondRun: a tick of a later run is explained under that run's configuration, from that run's state.
func TestSecondRun(t *testing.T) {
	settings := func(signals string) string {
		return "version: 1\nfeeds: [{name: a, subject: md.a, codec: json}]\nrisk: {spread: 0, duplicate: 0}\nsignals: [" + signals + "]\n"
	}
	r := newRecord(t, settings(`{name: other, value: price, when: value > 0, for: "*"}, {name: more, value: "sma(mid, 3)", when: value > 0, for: "*"}`))
	for i := range 5 {
		r.line("quote v.A " + strconv.Itoa(i) + " 1 1 2 1")
	}
	r.reopen(settings(`{name: mean, value: "sma(mid, 3)", when: value > 0, for: "*"}`))
	for i := range 3 {
		r.line("quote v.A " + strconv.Itoa(10+i) + " 1 1 2 1")
	}
	store := r.close()
	for seq, want := range map[uint64]string{
		2: "warming: step 2 of 3", 5: "signal more\n  Decided: enter, number 3", 6: "warming: step 1 of 3", 7: "warming: step 2 of 3",
		8: "signal mean\n  Decided: enter, number 1",
	} {
		answer, err := At(store, Question{Seq: seq})
		if err != nil {
			t.Fatal(err)
		}
		if got := answer.String(); !strings.Contains(got, want) || strings.Contains(got, "mean") != (seq > 5) {
			t.Errorf("tick %d: no %q in\n%s", seq, want, got)
		}
	}
}

func TestAtErrors(t *testing.T) {
	bare := newRecord(t, "")
	bare.line("quote v.A 1 1 1 2 1")
	store := bare.close()
	if _, err := At(store, Question{Seq: 1}); !errors.Is(err, replay.ErrNoConfig) {
		t.Errorf("%v, want %v", err, replay.ErrNoConfig)
	}
	c, err := config.Parse("t", []byte(liveConfig), nil)
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := At(store, Question{Seq: 1, Config: c}); err != nil || len(answer.Evaluations) != 1 {
		t.Errorf("with a configuration: %v", err)
	}
	stop := errors.New("stop")
	if _, err := At(store, Question{Seq: 1, Config: c, Cancelled: func() error { return stop }}); !errors.Is(err, stop) {
		t.Errorf("%v, want %v", err, stop)
	}
	if _, err := At(journal.NewDirStore(filepath.Join(t.TempDir(), "none")), Question{Seq: 1}); !errors.Is(err, journal.ErrEmpty) && !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no journal: %v", err)
	}
}
