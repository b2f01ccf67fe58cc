package journal

import (
	"crypto/sha256"
	"fmt"
)

// Class says what a definition defines.
type Class uint8

// The classes. Values are part of the format: append only, never reuse.
const (
	ClassInstrument Class = 1 // an instrument: venue and symbol
	ClassName       Class = 2 // the name handle of a Reference or Series tick; venue is empty
)

// Definition gives an id its name. An id may be defined more than once, by its aliases.
type Definition struct {
	At     uint64 // sequence: it holds from before the tick with this sequence on
	ID     uint32
	Source uint16
	Class  Class
	Venue  string // at most 255 bytes
	Symbol string // at most 1,024 bytes
}

// Config is a configuration that the engine ran under, from before the next tick of the journal on.
type Config struct {
	Generation uint32
	Name       string // at most 255 bytes
	Text       []byte
	SHA256     [sha256.Size]byte // of Text
}

// Blob is a named text or file that belongs to the run, such as build information or a program listing.
type Blob struct {
	Name string // at most 255 bytes
	Data []byte
}

// Outcome is what became of one decided signal.
type Outcome struct {
	Number uint64 // running number in this journal, from 1
	Result uint8  // a code of the engine's
	Body   []byte // the decided body as signal.AppendBinary encodes it; valid until the reader's next Next
}

// Sizes of records and of their fixed parts, in bytes. The largest definition fits the smallest block.
const (
	nameBytesMax         = 255
	symbolBytesMax       = 1024
	definitionFixedBytes = 18
	configFixedBytes     = 48
	blobFixedBytes       = 8
	outcomeFixedBytes    = 8
)

// appendDefinition encodes a definition:
//
//	0    8    12       14      15           16            18
//	| at | id | source | class | venue size | symbol size | venue | symbol |
func appendDefinition(dst []byte, d *Definition) []byte {
	dst = le.AppendUint64(dst, d.At)
	dst = le.AppendUint32(dst, d.ID)
	dst = le.AppendUint16(dst, d.Source)
	dst = append(dst, uint8(d.Class), uint8(len(d.Venue)))
	dst = le.AppendUint16(dst, uint16(len(d.Symbol)))
	dst = append(dst, d.Venue...)
	return append(dst, d.Symbol...)
}

func checkDefinition(d *Definition) error {
	switch {
	case d.Class == ClassInstrument && d.Venue != "" && d.Symbol != "":
	case d.Class == ClassName && d.Venue == "" && d.Symbol != "":
	default:
		return fmt.Errorf("%w: class %d, venue %q, symbol %q", ErrDefinition, d.Class, d.Venue, d.Symbol)
	}
	if len(d.Venue) > nameBytesMax || len(d.Symbol) > symbolBytesMax {
		return fmt.Errorf("%w: definition of id %d", ErrTooLarge, d.ID)
	}
	return nil
}

// definitionBytes returns the size of the definition at the start of p, 0 if it is not whole.
func definitionBytes(p []byte) int {
	if len(p) < definitionFixedBytes {
		return 0
	}
	size := definitionFixedBytes + int(p[15]) + int(le.Uint16(p[16:]))
	if size > len(p) {
		return 0
	}
	return size
}

// decodeDefinition decodes the definition that fills p, whose size was checked.
func decodeDefinition(p []byte) Definition {
	names := definitionFixedBytes + int(p[15])
	return Definition{
		At:     le.Uint64(p),
		ID:     le.Uint32(p[8:]),
		Source: le.Uint16(p[12:]),
		Class:  Class(p[14]),
		Venue:  string(p[definitionFixedBytes:names]),
		Symbol: string(p[names:]),
	}
}

// appendConfig encodes a configuration:
//
//	0            4           5       8           12     16        48
//	| generation | name size | zero  | text size | zero | SHA-256 | name | text |
func appendConfig(dst []byte, generation uint32, name string, text []byte) []byte {
	digest := sha256.Sum256(text)
	dst = le.AppendUint32(dst, generation)
	dst = append(dst, uint8(len(name)), 0, 0, 0)
	dst = le.AppendUint32(dst, uint32(len(text)))
	dst = append(dst, 0, 0, 0, 0)
	dst = append(dst, digest[:]...)
	dst = append(dst, name...)
	return append(dst, text...)
}

func configWrong(p []byte) string {
	if len(p) < configFixedBytes || len(p) != configFixedBytes+int(p[4])+int(le.Uint32(p[8:])) {
		return "sizes of a config that fill its block"
	}
	if p[5]|p[6]|p[7]|p[12]|p[13]|p[14]|p[15] != 0 {
		return "zeros between the fields of a config"
	}
	if sha256.Sum256(p[configFixedBytes+int(p[4]):]) != [sha256.Size]byte(p[16:48]) {
		return "a config text of the recorded SHA-256"
	}
	return ""
}

func decodeConfig(p []byte) Config {
	text := configFixedBytes + int(p[4])
	return Config{
		Generation: le.Uint32(p),
		Name:       string(p[configFixedBytes:text]),
		Text:       append([]byte(nil), p[text:]...),
		SHA256:     [sha256.Size]byte(p[16:48]),
	}
}

// appendBlob encodes a blob:
//
//	0           1      4           8
//	| name size | zero | data size | name | data |
func appendBlob(dst []byte, name string, data []byte) []byte {
	dst = append(dst, uint8(len(name)), 0, 0, 0)
	dst = le.AppendUint32(dst, uint32(len(data)))
	dst = append(dst, name...)
	return append(dst, data...)
}

func blobWrong(p []byte) string {
	if len(p) < blobFixedBytes || len(p) != blobFixedBytes+int(p[0])+int(le.Uint32(p[4:])) || p[1]|p[2]|p[3] != 0 {
		return "sizes of a blob that fill its block"
	}
	return ""
}

func decodeBlob(p []byte) Blob {
	data := blobFixedBytes + int(p[0])
	return Blob{Name: string(p[blobFixedBytes:data]), Data: append([]byte(nil), p[data:]...)}
}

// appendOutcome encodes an outcome; its number follows from its place:
//
//	0           4        5      8
//	| body size | result | zero | body |
func appendOutcome(dst, body []byte, result uint8) []byte {
	dst = le.AppendUint32(dst, uint32(len(body)))
	dst = append(dst, result, 0, 0, 0)
	return append(dst, body...)
}

// outcomeBytes returns the size of the outcome at the start of p, 0 if it is not whole or not as it must be.
func outcomeBytes(p []byte) int {
	if len(p) < outcomeFixedBytes || p[5]|p[6]|p[7] != 0 {
		return 0
	}
	size := outcomeFixedBytes + int(le.Uint32(p))
	if size > len(p) {
		return 0
	}
	return size
}
