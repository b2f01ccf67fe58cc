package program

import "slices"

// allocation is which column each value lives in. Constants have columns of their own that are filled once; the other
// columns are reused when their value has been read for the last time, so that the working set stays in the nearest
// cache. A step reads a tick's operands before it writes that tick's results, so a result may take the column of an
// operand of the same step.
//
// Reuse is safe although recur runs once a rank group: a group touches only its own range of every column, and for one
// tick the order of steps is before, recur, after, as planned.
type allocation struct {
	of      map[Value]int
	columns int
	scratch int // column for results that nobody reads
}

// allocate chooses columns for the results of the steps, and for the constants among values 0..values-1.
func allocate(list []planned, constants map[Value]uint64, values int) allocation {
	al := allocation{of: make(map[Value]int), columns: 1}
	lastRead := make(map[Value]int)
	for i := range list {
		for _, v := range list[i].args {
			lastRead[v] = i
		}
	}
	var free []int
	for i := range list {
		for k, v := range list[i].args {
			_, isConst := constants[v]
			if !isConst && lastRead[v] == i && !slices.Contains(list[i].args[:k], v) {
				free = append(free, al.of[v])
			}
		}
		for _, v := range list[i].outs {
			if v != NoValue {
				_, read := lastRead[v]
				free = al.place(v, read, free)
			}
		}
	}
	for v := range Value(values) {
		if _, isConst := constants[v]; isConst {
			al.place(v, true, nil)
		}
	}
	return al
}

// place gives v a free column or a new one, and returns what is still free.
func (al *allocation) place(v Value, read bool, free []int) []int {
	switch last := len(free) - 1; {
	case !read:
		al.of[v] = al.scratch
	case last >= 0:
		al.of[v] = free[last]
		free = free[:last]
	default:
		al.of[v] = al.columns
		al.columns++
	}
	return free
}
