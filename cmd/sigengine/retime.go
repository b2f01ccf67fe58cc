package main

import (
	"math"
	"strconv"

	"github.com/sigengine/sigengine/feed/codec"
)

// retimer moves the times in JSON messages. It finds integers by their keys, wherever in the message they are, and touches
// nothing else.
type retimer struct {
	keys   []string
	unitNs int64
	out    []byte
}

// newRetimer knows where each codec keeps its times.
func newRetimer(name string) *retimer {
	if name == codec.JSON {
		return &retimer{keys: []string{"ts"}, unitNs: 1}
	}
	return &retimer{keys: []string{"E", "T"}, unitNs: 1e6} // Binance: event and transaction time
}

// move returns the message with its times moved; it is good until the next call. What is not well formed is left as it is.
func (r *retimer) move(message []byte, shift func(ns int64) int64) []byte {
	r.out = r.out[:0]
	kept := 0 // message[:kept] is in out
	for i := 0; i < len(message); {
		if message[i] != '"' {
			i++
			continue
		}
		end := stringEnd(message, i)
		isTime := r.isKey(message[i+1 : max(end-1, i+1)])
		i = skipBlanks(message, end)
		if !isTime || i >= len(message) || message[i] != ':' {
			continue
		}
		i = skipBlanks(message, i+1)
		from, to := integerAt(message, i)
		old, err := strconv.ParseInt(string(message[from:to]), 10, 64)
		if err != nil || old == 0 || old > math.MaxInt64/r.unitNs {
			continue
		}
		r.out = append(r.out, message[kept:from]...)
		r.out = strconv.AppendInt(r.out, shift(old*r.unitNs)/r.unitNs, 10)
		kept, i = to, to
		if from > 0 && message[from-1] == '"' {
			i++
		}
	}
	return append(r.out, message[kept:]...)
}

func (r *retimer) isKey(text []byte) bool {
	for _, k := range r.keys {
		if string(text) == k {
			return true
		}
	}
	return false
}

// integerAt returns where the digits of the integer at i begin and end, bare or as a string; nothing if it is something else.
func integerAt(message []byte, i int) (from, to int) {
	quoted := i < len(message) && message[i] == '"'
	if quoted {
		i++
	}
	from = i
	for to = from; to < len(message) && message[to] >= '0' && message[to] <= '9'; to++ {
	}
	if to == len(message) || quoted != (message[to] == '"') || message[to] == '.' || message[to]|0x20 == 'e' {
		return from, from
	}
	return from, to
}

// stringEnd returns where the JSON string that begins at from ends, its closing quote included.
func stringEnd(message []byte, from int) int {
	for i := from + 1; i < len(message); i++ {
		switch message[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(message)
}

func skipBlanks(message []byte, i int) int {
	for i < len(message) && (message[i] == ' ' || message[i] == '\t' || message[i] == '\n' || message[i] == '\r') {
		i++
	}
	return i
}
