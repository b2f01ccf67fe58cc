package journal

// catalogBytesMax bounds the definitions that a journal holds and every segment repeats.
const catalogBytesMax = 64 << 20

// catalog is what a segment repeats at its start: the last blob and configuration of each name, and every definition,
// all encoded, in the order of their first appearance.
type catalog struct {
	blobs       []catalogEntry
	configs     []catalogEntry
	definitions []byte
}

type catalogEntry struct {
	name    string
	first   uint64
	payload []byte
}

// note remembers a block. It is false when there are more definitions than a journal holds.
func (c *catalog) note(typ Type, first uint64, payload []byte) bool {
	switch typ {
	case TypeBlob:
		name := string(payload[blobFixedBytes : blobFixedBytes+int(payload[0])])
		c.blobs = setEntry(c.blobs, name, first, payload)
	case TypeConfig:
		name := string(payload[configFixedBytes : configFixedBytes+int(payload[4])])
		c.configs = setEntry(c.configs, name, first, payload)
	case TypeDefinition:
		if len(c.definitions)+len(payload) > catalogBytesMax {
			return false
		}
		c.definitions = append(c.definitions, payload...)
	}
	return true
}

func setEntry(entries []catalogEntry, name string, first uint64, payload []byte) []catalogEntry {
	for i := range entries {
		if entries[i].name == name {
			entries[i].first = first
			entries[i].payload = append(entries[i].payload[:0], payload...)
			return entries
		}
	}
	return append(entries, catalogEntry{name, first, append([]byte(nil), payload...)})
}

// blocks calls yield with every block to repeat, of at most about blockBytes each where records can be divided.
func (c *catalog) blocks(blockBytes int, yield func(*buffer)) {
	for i := range c.blobs {
		yield(&buffer{typ: TypeBlob, count: 1, first: c.blobs[i].first, bytes: c.blobs[i].payload})
	}
	for i := range c.configs {
		yield(&buffer{typ: TypeConfig, count: 1, first: c.configs[i].first, bytes: c.configs[i].payload})
	}
	for rest := c.definitions; len(rest) > 0; {
		block := buffer{typ: TypeDefinition, first: le.Uint64(rest)}
		size := 0
		for size < len(rest) {
			record := definitionBytes(rest[size:])
			if size+record > blockBytes {
				break
			}
			size += record
			block.count++
		}
		block.bytes = rest[:size]
		rest = rest[size:]
		yield(&block)
	}
}

// clampDefinitions makes every definition hold from seq on at the latest. A definition stands before the block of the
// tick that needed it; when that block is lost with the tail, the sequence is given to another tick.
func (c *catalog) clampDefinitions(seq uint64) {
	for rest := c.definitions; len(rest) > 0; rest = rest[definitionBytes(rest):] {
		le.PutUint64(rest, min(seq, le.Uint64(rest)))
	}
}

// decoded returns the definitions and configurations for their users.
func (c *catalog) decoded() (definitions []Definition, configs []Config) {
	for rest := c.definitions; len(rest) > 0; {
		size := definitionBytes(rest)
		definitions = append(definitions, decodeDefinition(rest[:size]))
		rest = rest[size:]
	}
	for i := range c.configs {
		configs = append(configs, decodeConfig(c.configs[i].payload))
	}
	return definitions, configs
}
