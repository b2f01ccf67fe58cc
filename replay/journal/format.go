package journal

import (
	"encoding/binary"
	"hash/crc32"
)

// Version is the version of the segment format this package writes and reads.
const Version = 1

// Sizes of the format, in bytes.
const (
	// SegmentHeaderBytes is the size of the header of a segment.
	SegmentHeaderBytes = 192
	// BlockHeaderBytes is the size of the header of a block.
	BlockHeaderBytes = 72
	// PayloadBytesMax bounds the payload of a block, and so a reader's memory.
	PayloadBytesMax = 16 << 20
	// PartitionBytesMax bounds the name of a partition.
	PartitionBytesMax = 64
)

// Type says what a block carries.
type Type uint8

// The types of block. Values are part of the format: append only, never reuse.
const (
	TypeTicks      Type = 1
	TypeDefinition Type = 2
	TypeConfig     Type = 3
	TypeBlob       Type = 4
	TypeOutcome    Type = 5
)

// String returns the type's lower-case name.
func (t Type) String() string {
	switch t {
	case TypeTicks:
		return "ticks"
	case TypeDefinition:
		return "definition"
	case TypeConfig:
		return "config"
	case TypeBlob:
		return "blob"
	case TypeOutcome:
		return "outcome"
	default:
		return "unknown"
	}
}

// Flags of a block. Bits 8 and 9 are reserved for compression (1: zstd); a reader refuses every bit it does not know.
const (
	flagRepeated uint16 = 1 << 0 // said before, repeated so that the segment can be read alone
	flagVenue    uint16 = 1 << 1 // ticks: a column of venue sequence numbers follows
	flagsKnown          = flagRepeated | flagVenue
)

// Flags of a segment.
const (
	segmentSparse      uint32 = 1 << 0 // sequence numbers rise but may skip
	segmentFlagsKnown         = segmentSparse
	payloadVersion     uint8  = 1
	segmentMagic              = "\x89SGJ\r\n\x1a\n" // the high bit and line ends show a text-mode copy
	blockMagic                = "SGBK"
	blockChainedBytes         = 32 // the part of a block header that the chain covers
	blockHeaderCRCAt          = BlockHeaderBytes - 4
	segmentHeaderCRCAt        = SegmentHeaderBytes - 4
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	le         = binary.LittleEndian
)

func checksum(p []byte) uint32 { return crc32.Checksum(p, castagnoli) }

// padded rounds a payload up to the alignment of blocks, 8 bytes.
func padded(n int) int { return (n + 7) &^ 7 }

// segmentHeader is the fixed start of every segment:
//
//	0     8       10           12    16    24  32        40          48        56            64    96             97        161 188 192
//	|magic|version|header bytes|flags|index|run|createdNs|first block|first seq|first outcome|chain|partition size|partition|  0  |CRC|
type segmentHeader struct {
	flags        uint32
	index        uint64 // from 1
	run          uint64 // from 1: how often a writer has opened this journal
	createdNs    int64  // Unix nanoseconds
	firstBlock   uint64
	firstSeq     uint64 // of the next tick; the lowest it can be if sparse
	firstOutcome uint64
	chain        chainValue // at the end of the previous segment; zero in the first
	partition    string
}

func (h *segmentHeader) encode(p *[SegmentHeaderBytes]byte) {
	*p = [SegmentHeaderBytes]byte{}
	copy(p[0:8], segmentMagic)
	le.PutUint16(p[8:], Version)
	le.PutUint16(p[10:], SegmentHeaderBytes)
	le.PutUint32(p[12:], h.flags)
	le.PutUint64(p[16:], h.index)
	le.PutUint64(p[24:], h.run)
	le.PutUint64(p[32:], uint64(h.createdNs))
	le.PutUint64(p[40:], h.firstBlock)
	le.PutUint64(p[48:], h.firstSeq)
	le.PutUint64(p[56:], h.firstOutcome)
	copy(p[64:96], h.chain[:])
	p[96] = uint8(len(h.partition))
	copy(p[97:97+PartitionBytesMax], h.partition)
	le.PutUint32(p[segmentHeaderCRCAt:], checksum(p[:segmentHeaderCRCAt]))
}

// decode reads the header. It returns what is wrong, "" if nothing; unsupported says that the bytes may be sound but
// are of a version or have flags that this package does not know.
func (h *segmentHeader) decode(p *[SegmentHeaderBytes]byte) (wrong string, unsupported bool) {
	if string(p[0:8]) != segmentMagic {
		return "segment magic", false
	}
	if checksum(p[:segmentHeaderCRCAt]) != le.Uint32(p[segmentHeaderCRCAt:]) {
		return "segment header CRC", false
	}
	if le.Uint16(p[8:]) != Version || le.Uint16(p[10:]) != SegmentHeaderBytes {
		return "segment version", true
	}
	h.flags = le.Uint32(p[12:])
	if h.flags&^segmentFlagsKnown != 0 {
		return "segment flags", true
	}
	if p[96] > PartitionBytesMax {
		return "partition name length", false
	}
	h.index = le.Uint64(p[16:])
	h.run = le.Uint64(p[24:])
	h.createdNs = int64(le.Uint64(p[32:]))
	h.firstBlock = le.Uint64(p[40:])
	h.firstSeq = le.Uint64(p[48:])
	h.firstOutcome = le.Uint64(p[56:])
	copy(h.chain[:], p[64:96])
	h.partition = string(p[97 : 97+int(p[96])])
	return "", false
}

// blockHeader stands before every payload:
//
//	0     4    5       6     8            12    16     24    32    64          68         72
//	|magic|type|version|flags|payload size|count|number|first|chain|payload CRC|header CRC|
type blockHeader struct {
	typ     Type
	version uint8
	flags   uint16
	bytes   uint32 // of the payload, without its padding
	count   uint32 // of records
	number  uint64 // from 1, over all segments
	first   uint64 // by type, see docs/journal.md
	chain   chainValue
	crc     uint32 // of the payload and its padding
}

// encodeChained writes the part that the chain covers.
func (h *blockHeader) encodeChained(p []byte) {
	copy(p[0:4], blockMagic)
	p[4] = uint8(h.typ)
	p[5] = h.version
	le.PutUint16(p[6:], h.flags)
	le.PutUint32(p[8:], h.bytes)
	le.PutUint32(p[12:], h.count)
	le.PutUint64(p[16:], h.number)
	le.PutUint64(p[24:], h.first)
}

// decode reads the header and returns what is wrong, "" if nothing.
func (h *blockHeader) decode(p *[BlockHeaderBytes]byte) string {
	if string(p[0:4]) != blockMagic {
		return "block magic"
	}
	if checksum(p[:blockHeaderCRCAt]) != le.Uint32(p[blockHeaderCRCAt:]) {
		return "block header CRC"
	}
	h.typ = Type(p[4])
	h.version = p[5]
	h.flags = le.Uint16(p[6:])
	h.bytes = le.Uint32(p[8:])
	h.count = le.Uint32(p[12:])
	h.number = le.Uint64(p[16:])
	h.first = le.Uint64(p[24:])
	copy(h.chain[:], p[32:64])
	h.crc = le.Uint32(p[64:])
	return ""
}
