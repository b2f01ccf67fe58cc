package journal

import "fmt"

// Define journals a definition that holds from the next tick on; At is set accordingly.
func (a *TickAppender) Define(d Definition) error {
	d.At = a.next
	if err := checkDefinition(&d); err != nil {
		return err
	}
	if len(a.definitions)+definitionFixedBytes+len(d.Venue)+len(d.Symbol) > cap(a.definitions) {
		a.handOver()
	}
	if a.definitionCount == 0 {
		a.definitionAt = d.At
	}
	a.definitions = appendDefinition(a.definitions, &d)
	a.definitionCount++
	return nil
}

// Config journals a configuration that holds from the next tick on. It allocates.
func (a *TickAppender) Config(generation uint32, name string, text []byte) error {
	if name == "" || len(name) > nameBytesMax || len(text) > PayloadBytesMax-configFixedBytes-nameBytesMax {
		return fmt.Errorf("%w: config %q of %d bytes", ErrTooLarge, name, len(text))
	}
	return a.single(TypeConfig, appendConfig(nil, generation, name, text))
}

// Blob journals a named text or file. The last of each name is repeated in every segment, so keep them few. It allocates.
func (a *TickAppender) Blob(name string, data []byte) error {
	if name == "" || len(name) > nameBytesMax || len(data) > PayloadBytesMax-blobFixedBytes-nameBytesMax {
		return fmt.Errorf("%w: blob %q of %d bytes", ErrTooLarge, name, len(data))
	}
	return a.single(TypeBlob, appendBlob(nil, name, data))
}

// single hands over a payload that is a block of its own.
func (a *TickAppender) single(typ Type, payload []byte) error {
	a.handOver()
	slot := a.out.slot()
	if slot == nil {
		return ErrClosed
	}
	slot.typ, slot.count, slot.first, slot.bytes = typ, 1, a.next, payload
	a.out.ring.Commit(1)
	return nil
}

func (a *TickAppender) outOfSequence(got uint64) {
	a.out.writer.fail(fmt.Errorf("%w: got %d after %d", ErrSequence, got, a.next-1))
}
