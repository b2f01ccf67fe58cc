package jsonin

import (
	"encoding/binary"
	"math/bits"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	lows  = 0x7f7f7f7f7f7f7f7f
)

// inspect reports whether message is free of control bytes, backslashes and bytes beyond ASCII, and how
// many bytes open an array or object (those in strings included). It looks at eight bytes a step.
func inspect(message []byte) (plain bool, openers int) {
	var odd uint64
	for len(message) >= 8 {
		word := binary.LittleEndian.Uint64(message)
		odd |= oddBytes(word)
		openers += countOpeners(word)
		message = message[8:]
	}
	if len(message) > 0 {
		var rest [8]byte
		for i := range rest {
			rest[i] = ' '
		}
		copy(rest[:], message)
		word := binary.LittleEndian.Uint64(rest[:])
		odd |= oddBytes(word)
		openers += countOpeners(word)
	}
	return odd == 0, openers
}

// oddBytes returns zero if no byte of word is below 0x20, a backslash, or above 0x7f.
func oddBytes(word uint64) uint64 {
	below := (word - ones*0x20) &^ word
	slash := word ^ ones*'\\'
	slash = (slash - ones) &^ slash
	return (below | slash | word) & highs
}

// countOpeners counts the bytes '[' and '{', which differ in one bit. Exact for each byte.
func countOpeners(word uint64) int {
	other := (word | ones*0x20) ^ ones*'{'
	return bits.OnesCount64(^((other&lows + lows) | other | lows))
}
