package program

import "fmt"

// Lane is the memory an executor works on: a ring of slots and a ring of rows, both quarter-major: quarter q of slot or
// row n is at index q*Capacity + n&(Capacity-1).
type Lane struct {
	In       []Quarter // SlotQuarters*Capacity
	Out      []Quarter // RowQuarters*Capacity
	Capacity uint64    // slots and rows, a power of two
}

// Check reports whether the lane fits the program, as Run takes for granted.
func (l *Lane) Check(p *Program) error {
	c := l.Capacity
	if c == 0 || c&(c-1) != 0 || c > 1<<32 {
		return &Error{Where: "lane", Problem: fmt.Sprintf("capacity %d is not a power of two up to 2^32", c)}
	}
	if uint64(len(l.In)) != c*uint64(p.SlotQuarters) || uint64(len(l.Out)) != c*uint64(p.RowQuarters) {
		return &Error{Where: "lane", Problem: fmt.Sprintf("%d slot and %d row quarters, want %d and %d",
			len(l.In), len(l.Out), c*uint64(p.SlotQuarters), c*uint64(p.RowQuarters))}
	}
	return nil
}
