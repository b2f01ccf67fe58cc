package wire

import (
	"math"

	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/feed"
)

// drawTick draws any tick that may enter from a feed, in canonical form.
func drawTick(t *rapid.T, instruments uint32) feed.Tick {
	price := rapid.OneOf(
		rapid.Float64Range(-1e9, 1e9),
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 5e-324, math.MaxFloat64, -math.MaxFloat64, 0.1}),
	)
	size := rapid.OneOf(rapid.Float64Range(0, 1e12), rapid.SampledFrom([]float64{0, math.MaxFloat64, 5e-324}))
	tick := feed.Tick{
		ExchangeNs: rapid.Int64Range(0, math.MaxInt64).Draw(t, "exchange"),
		Instrument: rapid.Uint32Range(0, instruments-1).Draw(t, "instrument"),
		Kind:       rapid.SampledFrom([]feed.Kind{feed.KindQuote, feed.KindTrade, feed.KindDepth, feed.KindStatus, feed.KindGap}).Draw(t, "kind"),
		Flags:      feed.Flags(rapid.IntRange(0, int(knownFlags)).Draw(t, "flags")),
	}
	f := &tick.F
	switch tick.Kind {
	case feed.KindQuote:
		*f = [4]float64{price.Draw(t, "bid"), size.Draw(t, "bid size"), price.Draw(t, "ask"), size.Draw(t, "ask size")}
		switch rapid.IntRange(0, 3).Draw(t, "sides") {
		case 0:
			f[0], f[1] = nan, 0
		case 1:
			f[2], f[3] = nan, 0
		}
	case feed.KindTrade:
		*f = [4]float64{price.Draw(t, "price"), size.Draw(t, "size"), float64(rapid.IntRange(-1, 1).Draw(t, "aggressor"))}
	case feed.KindDepth:
		level := rapid.Uint16().Draw(t, "level")
		*f = [4]float64{feed.DepthValue(rapid.Bool().Draw(t, "bid"), level), price.Draw(t, "price"), size.Draw(t, "size")}
	case feed.KindStatus:
		f[0] = float64(rapid.IntRange(1, int(feed.StatusReset)).Draw(t, "status"))
	case feed.KindGap:
		f[0] = float64(feed.GapDeclared)
		f[1] = float64(rapid.Uint64Range(0, lostMax).Draw(t, "lost"))
		if rapid.Bool().Draw(t, "all") {
			tick.Instrument = feed.AllInstruments
		}
	}
	return tick
}
