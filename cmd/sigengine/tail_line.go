package main

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sigengine/sigengine/signal"
)

// lineLayout writes signals as lines whose columns line up: a column is as wide as the widest so far, within a bound.
type lineLayout struct {
	widths [9]int
}

// columnWidthsMin fit what is usual, so that columns seldom move.
var columnWidthsMin = [9]int{15, 8, 10, 16, 16, 7, 13, 19, 8}

// columnWidthMax bounds a column, so that one long symbol does not spread all lines after it.
const columnWidthMax = 32

// appendLine appends: engine time (UTC), action, signal, venue and symbol, value, side, strength, bid and ask, latency, remarks.
func (l *lineLayout) appendLine(dst []byte, b *signal.Body, t *signal.Trailer) []byte {
	latency := "-"
	if t != nil {
		latency = microseconds(t.LatencyNs)
	}
	for i, text := range [...]string{
		time.Unix(0, b.EngineNs).UTC().Format("15:04:05.000000"),
		b.Action.String(),
		printableName(b.Signal),
		printableName(b.Venue + " " + b.Symbol),
		"value " + number(b.Value, 8),
		"side " + number(b.Side, 4),
		"strength " + number(b.Strength, 4),
		number(b.Bid, 12) + "/" + number(b.Ask, 12),
		latency,
	} {
		width := utf8.RuneCountInString(text)
		l.widths[i] = min(max(l.widths[i], columnWidthsMin[i], width), columnWidthMax)
		dst = append(dst, text...)
		for range l.widths[i] - width {
			dst = append(dst, ' ')
		}
		dst = append(dst, ' ', ' ')
	}
	dst = append(dst, remarks(b)...)
	for len(dst) > 0 && dst[len(dst)-1] == ' ' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

func remarks(b *signal.Body) string {
	var parts []string
	if b.Reason != signal.ReasonNone {
		parts = append(parts, "because of "+b.Reason.String())
	}
	if b.Flags != 0 {
		parts = append(parts, b.Flags.String())
	}
	return strings.Join(parts, " ")
}

func number(v float64, digits int) string {
	if signal.IsUndefined(v) {
		return "-"
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}

func microseconds(ns int64) string {
	return strconv.FormatFloat(float64(ns)/1e3, 'f', 1, 64) + "us"
}

// printableName keeps a terminal safe from names out of the network.
func printableName(name string) string {
	return strings.Map(func(r rune) rune {
		if strconv.IsPrint(r) {
			return r
		}
		return '\u00b7'
	}, name)
}
