package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/kernels/expr"
)

// venues returns the venues that the feeds deliver; known is false where a feed may deliver any, or there are no feeds.
func (c *Config) venues() (venues []string, known bool) {
	for i := range c.Feeds {
		f := &c.Feeds[i]
		venue := f.Venue
		switch f.Codec {
		case CodecBinanceSpot:
			venue = orElse(venue, "binance")
		case CodecBinanceUSDM:
			venue = orElse(venue, "binance-usdm")
		default: // a message may name its venue
			return nil, false
		}
		if !slices.Contains(venues, venue) {
			venues = append(venues, venue)
		}
	}
	return venues, len(venues) > 0
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// reachRelations reports signals that no instrument of the feeds can have, and overrides that fit none of a signal's.
func (c *Config) reachRelations(r *report) {
	venues, known := c.venues()
	for i := range c.Signals {
		s := &c.Signals[i]
		at := signalPath(i, "for")
		reached := !known || len(s.For) == 0
		for _, p := range s.For {
			reached = reached || slices.ContainsFunc(venues, func(venue string) bool { return globMatch(p.Venue, venue) })
		}
		if !reached && !r.failed[at] {
			r.add(at, "selects no instrument: no feed delivers "+s.For[0].Venue, hintVenues(s.For[0].Venue, venues))
		}
		for k := range s.Overrides {
			s.overrideRelations(r, signalPath(i, "overrides["+strconv.Itoa(k)+"]"), &s.Overrides[k])
		}
	}
}

func hintVenues(wanted string, venues []string) string {
	if near := nearest(strings.Trim(wanted, "*"), venues); near != "" {
		return "did you mean " + near + "?"
	}
	return "the feeds deliver " + strings.Join(venues, ", ")
}

func (s *Signal) overrideRelations(r *report, at string, o *Override) {
	fits := false
	for _, p := range o.For {
		for _, own := range s.For {
			fits = fits || globsMeet(p.Venue, own.Venue) && globsMeet(p.Symbol, own.Symbol)
		}
	}
	if !fits && len(o.For) > 0 && !r.failed[at+".for"] {
		r.add(at+".for", "selects no instrument that the signal's for selects", "they have no name in common")
	}
	if len(o.Params) == 0 {
		r.add(at+".params", "is missing", "name the parameters and their numbers")
	}
	names := make([]string, len(s.Params))
	for i, p := range s.Params {
		names[i] = p.Name
	}
	for _, p := range o.Params {
		path := at + ".params." + p.Name
		if !slices.Contains(names, p.Name) {
			hint := "add it to the signal's params"
			if near := nearest(p.Name, names); near != "" {
				hint = "did you mean " + near + "?"
			}
			r.add(path, "is not a parameter of the signal", hint)
			continue
		}
		constant, err := expr.ParseConstant(p.Text)
		switch {
		case err != nil:
			r.inText(path, err)
		case constant.DurationNs > 0:
			r.add(path, "is a duration", "only numbers can differ between instruments")
		}
	}
}

// inText adds a mistake in the text of a key.
func (r *report) inText(path string, err *expr.Error) {
	o, ok := r.origins[path]
	if r.failed[path] {
		return
	}
	if !ok {
		r.add(path, "is wrong: "+err.Message, err.Hint)
		return
	}
	r.at(o.src.errorInScalar(o.node, err.Offset, err.Length, err.Message, err.Hint), path)
}

// globsMeet reports whether a name exists that both patterns match.
func globsMeet(a, b string) bool {
	// meet[j] says whether a[i:] and b[j:] meet, from the ends to the starts.
	meet := make([]bool, len(b)+1)
	for i := len(a); i >= 0; i-- {
		next := make([]bool, len(b)+1)
		for j := len(b); j >= 0; j-- {
			switch {
			case i == len(a) && j == len(b):
				next[j] = true
			case i < len(a) && a[i] == '*':
				next[j] = meet[j] || j < len(b) && next[j+1]
			case j < len(b) && b[j] == '*':
				next[j] = next[j+1] || i < len(a) && meet[j]
			case i < len(a) && j < len(b):
				next[j] = a[i] == b[j] && meet[j+1]
			}
		}
		meet = next
	}
	return meet[0]
}

// ParamValue returns the value that a parameter has for an instrument: of the overrides that select it the last, else
// the default.
func (c *Config) ParamValue(p kernels.Param, venue, symbol string) float64 {
	value := p.Default
	for _, o := range c.Signals[p.Signal].Overrides {
		if !slices.ContainsFunc(o.For, func(pattern Pattern) bool { return pattern.Match(venue, symbol) }) {
			continue
		}
		for _, named := range o.Params {
			if constant, err := expr.ParseConstant(named.Text); named.Name == p.Name && err == nil {
				value = constant.Value
			}
		}
	}
	return value
}

// referenceRelations reports references to venues that no feed delivers.
func (c *Config) referenceRelations(r *report, compiled *kernels.Compiled) {
	venues, known := c.venues()
	if compiled == nil || !known {
		return
	}
	for i := range compiled.Signals {
		for _, k := range compiled.Signals[i].References {
			if ref := compiled.References[k]; !slices.Contains(venues, ref.Venue) {
				instrument := expr.Instrument{Venue: ref.Venue, Symbol: ref.Symbol}
				r.add(signalPath(i, "value"), "needs "+instrument.String()+", and no feed delivers "+ref.Venue, hintVenues(ref.Venue, venues))
			}
		}
	}
}
