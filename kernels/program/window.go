package program

import "fmt"

// WindowKind says what bounds a window.
type WindowKind uint8

// The window kinds.
const (
	WindowSamples  WindowKind = 1 // the last N pushes
	WindowDuration WindowKind = 2 // the last Sub sub-intervals of StepNs nanoseconds of engine time, the open one included
)

// WindowAgg says what a window computes.
type WindowAgg uint8

// The aggregates. The outputs of each are listed by WindowAgg.Outputs.
const (
	AggSum     WindowAgg = 1 // 0 sum f, 1 count f, 2 warm m
	AggMoments WindowAgg = 2 // 0 mean f, 1 sum of squared deviations f, 2 count f, 3 warm m, 4 newest - mean f
	AggLag     WindowAgg = 3 // 0 the value pushed N pushes before the newest f, 1 warm m (WindowSamples only)
	AggMin     WindowAgg = 4 // 0 least f, 1 pushes since it was last pushed f (WindowDuration: undefined), 2 warm m
	AggMax     WindowAgg = 5 // 0 greatest f, 1 pushes since it was last pushed f (WindowDuration: undefined), 2 warm m
	// Of two inputs x, y: 0 mean x f, 1 mean y f, 2 squared deviations of x f, 3 of y f, 4 products of deviations f, 5 count f, 6 warm m
	AggMoments2 WindowAgg = 6
	AggWeighted WindowAgg = 7 // 0 sum of w*x f with w = 1..n, newest n, 1 sum of w f, 2 warm m (WindowSamples only)
	AggRank     WindowAgg = 8 // 0 samples below the newest and half the others that equal it f, 1 count f, 2 warm m (WindowSamples only)
	AggAbsdev   WindowAgg = 9 // 0 mean absolute deviation from the mean f, 1 newest less mean f, 2 warm m (WindowSamples only)
	aggEnd      WindowAgg = 10

	maxOutputs = 7 // of any aggregate
)

// The bounds of a window.
const (
	MaxWindowSamples  = 1 << 20
	MaxRankSamples    = 1 << 10 // a push of AggRank and AggAbsdev looks at all
	MaxWindowSub      = 1 << 12
	DefaultWindowSub  = 64
	windowKindSamples = "samples"
	windowKindDur     = "duration"
)

// Window describes one bounded window. State is set by Builder.Build and must be left zero before.
type Window struct {
	Kind   WindowKind
	Agg    WindowAgg
	N      int   // WindowSamples: pushes kept (for AggLag: the lag), 1..MaxWindowSamples
	StepNs int64 // WindowDuration: nanoseconds of a sub-interval, at least 1
	Sub    int   // WindowDuration: sub-intervals, 1..MaxWindowSub
	State  int   // first state word
}

// SampleWindow describes a window over the last n pushes (AggLag: the value n pushes back).
func SampleWindow(agg WindowAgg, n int) Window {
	return Window{Kind: WindowSamples, Agg: agg, N: n}
}

// DurationWindow describes a window over the last lengthNs nanoseconds of engine time, kept in sub sub-intervals of
// ceil(lengthNs/sub) nanoseconds, so the window is never shorter than asked for by more than one sub-interval.
func DurationWindow(agg WindowAgg, lengthNs int64, sub int) Window {
	w := Window{Kind: WindowDuration, Agg: agg, Sub: sub}
	if sub > 0 && lengthNs > 0 {
		w.StepNs = (lengthNs-1)/int64(sub) + 1
	}
	return w
}

// Outputs returns the types of the outputs, in order; nil for an unknown aggregate.
func (a WindowAgg) Outputs() []Type {
	switch a {
	case AggSum, AggMin, AggMax, AggWeighted, AggRank, AggAbsdev:
		return []Type{F, F, M}
	case AggMoments:
		return []Type{F, F, F, M, F}
	case AggMoments2:
		return []Type{F, F, F, F, F, F, M}
	case AggLag:
		return []Type{F, M}
	}
	return nil
}

// Inputs returns how many values a push has.
func (a WindowAgg) Inputs() int {
	if a == AggMoments2 {
		return 2
	}
	return 1
}

// String returns the aggregate's name in the listing.
func (a WindowAgg) String() string {
	switch a {
	case AggSum:
		return "sum"
	case AggMoments:
		return "moments"
	case AggLag:
		return "lag"
	case AggMin:
		return "min"
	case AggMax:
		return "max"
	case AggMoments2:
		return "moments2"
	case AggWeighted:
		return "weighted"
	case AggRank:
		return "rank"
	case AggAbsdev:
		return "absdev"
	}
	return "unknown"
}

// Words returns how many state words the window occupies. All of them are initially zero.
func (w Window) Words() int {
	switch {
	case w.Kind == WindowSamples && w.Agg == AggSum:
		return sumSamplesHead + w.N
	case w.Kind == WindowSamples && w.Agg == AggMoments:
		return momSamplesHead + 2*w.N
	case w.Kind == WindowSamples && w.Agg == AggLag:
		return lagHead + w.N + 1
	case w.Kind == WindowSamples && (w.Agg == AggMin || w.Agg == AggMax):
		return extSamplesHead + 2*w.N
	case w.Kind == WindowSamples && w.Agg == AggMoments2:
		return mom2SamplesHead + mom2Ring*w.N
	case w.Kind == WindowDuration && w.Agg == AggMoments2:
		return durHead + mom2Entry*(1+w.Sub)
	case w.Kind == WindowSamples && w.Agg == AggWeighted:
		return wgtSamplesHead + w.N
	case w.Kind == WindowSamples && w.Agg == AggRank:
		return rankHead + w.N
	case w.Kind == WindowSamples && w.Agg == AggAbsdev:
		return absdevHead + w.N
	case w.Kind == WindowDuration && (w.Agg == AggSum || w.Agg == AggMin || w.Agg == AggMax):
		return durHead + 2*(1+w.Sub)
	case w.Kind == WindowDuration && w.Agg == AggMoments:
		return durHead + 4*(1+w.Sub) + 1
	}
	return 0
}

// The heads: state words before the ring. docs/program.md has the rulers.
const (
	sumSamplesHead  = 3 // pos, full, run
	momSamplesHead  = 5 // pos, full, base, run mean, run m2
	lagHead         = 2 // pos, count
	extSamplesHead  = 4 // pos, full, run, run at
	mom2SamplesHead = 9 // pos, full, base x, y, run mean x, y, run m2 x, y, run c
	wgtSamplesHead  = 4 // pos, full, run, run plain sum
	rankHead        = 3 // pos, count, rank
	absdevHead      = 4 // pos, count, deviation, newest less mean
	durHead         = 3 // cur, start, begun; then the closed total, then the ring
)

// samplesOnly reports whether the aggregate exists for sample windows only.
func (w Window) samplesOnly() bool {
	return w.Agg == AggLag || w.Agg == AggWeighted || w.scans()
}

// scans reports whether a push looks at all samples.
func (w Window) scans() bool { return w.Agg == AggRank || w.Agg == AggAbsdev }

// check returns what is wrong with the description, or nil.
func (w Window) check() error {
	switch {
	case w.Agg.Outputs() == nil:
		return fmt.Errorf("window has unknown aggregate %d", w.Agg)
	case w.Kind == WindowSamples:
		if w.N < 1 || w.N > MaxWindowSamples {
			return fmt.Errorf("window of %d samples is outside 1..%d", w.N, MaxWindowSamples)
		}
		if w.scans() && w.N > MaxRankSamples {
			return fmt.Errorf("%s over %d samples is outside 1..%d", w.Agg, w.N, MaxRankSamples)
		}
		if w.StepNs != 0 || w.Sub != 0 {
			return fmt.Errorf("sample window has a step or sub-intervals")
		}
	case w.Kind == WindowDuration:
		if w.samplesOnly() {
			return fmt.Errorf("%s needs a sample window", w.Agg)
		}
		if w.StepNs < 1 || w.Sub < 1 || w.Sub > MaxWindowSub || w.N != 0 {
			return fmt.Errorf("duration window of %d steps of %d ns (n=%d): want 1..%d steps of at least 1 ns and n=0",
				w.Sub, w.StepNs, w.N, MaxWindowSub)
		}
	default:
		return fmt.Errorf("window has unknown kind %d", w.Kind)
	}
	return nil
}
