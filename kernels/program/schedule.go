package program

import "slices"

// segment is a run of recur's steps. Steps that a state word ties together, from its load to its store, have to be done for one
// rank group after another; all others, windows among them, are done for the whole chunk in one pass, because its columns
// are in the order of rank.
type segment struct {
	from, to int // of the part's steps
	inTurn   bool
}

// schedule reorders recur's steps into as few segments as it finds. The order of steps that depend on each other stays.
func schedule(list []planned) ([]planned, []segment) {
	first := slices.IndexFunc(list, func(s planned) bool { return s.part == PartRecur })
	if first < 0 {
		return list, nil
	}
	count := 0
	for first+count < len(list) && list[first+count].part == PartRecur {
		count++
	}
	steps := list[first : first+count]
	g := dependencies(steps)
	of, size := g.components()
	waits := make([]int, len(size)) // edges into a component from others
	for u := range steps {
		for _, v := range g.next[u] {
			if of[u] != of[v] {
				waits[of[v]]++
			}
		}
	}
	ordered := make([]planned, 0, count)
	var segments []segment
	done := make([]bool, count)
	for inTurn := false; len(ordered) < count; inTurn = !inTurn {
		from := len(ordered)
		var taken []int
		for more := true; more; {
			more = false
			for u := range steps {
				c := of[u]
				if done[u] || waits[c] > 0 || (size[c] > 1) != inTurn {
					continue
				}
				done[u], more = true, true
				taken = append(taken, u)
			}
			if more {
				release(g, of, waits, taken)
			}
		}
		slices.Sort(taken)
		for _, u := range taken {
			ordered = append(ordered, steps[u])
		}
		if len(taken) > 0 {
			segments = append(segments, segment{from: from, to: len(ordered), inTurn: inTurn})
		}
	}
	return slices.Concat(list[:first], ordered, list[first+count:]), segments
}

// release recounts what components wait for, when some steps are taken.
func release(g *graph, of, waits, taken []int) {
	for _, u := range taken {
		if g.released[u] {
			continue
		}
		g.released[u] = true
		for _, v := range g.next[u] {
			if of[u] != of[v] {
				waits[of[v]]--
			}
		}
	}
}

// graph is what depends on a step: by values, and by a state word both ways between its loads and its store.
type graph struct {
	next     [][]int
	released []bool
}

func dependencies(steps []planned) *graph {
	g := &graph{next: make([][]int, len(steps)), released: make([]bool, len(steps))}
	definedAt := make(map[Value]int)
	storedAt := make(map[uint64]int)
	for i := range steps {
		for _, v := range steps[i].args {
			if at, ok := definedAt[v]; ok {
				g.next[at] = append(g.next[at], i)
			}
		}
		for _, v := range steps[i].outs {
			if v != NoValue {
				definedAt[v] = i
			}
		}
		if steps[i].op == OpStore {
			storedAt[steps[i].imm] = i
		}
	}
	for i := range steps {
		if steps[i].op != OpLoad && steps[i].op != opSelLoad {
			continue
		}
		if at, ok := storedAt[steps[i].imm]; ok {
			g.next[i] = append(g.next[i], at)
			g.next[at] = append(g.next[at], i)
		}
	}
	return g
}

// components are Tarjan's strongly connected components: which one each step is in, and their sizes.
func (g *graph) components() (of, size []int) {
	n := len(g.next)
	of = make([]int, n)
	index, low := make([]int, n), make([]int, n) // from 1; 0: not seen
	onStack := make([]bool, n)
	var stack []int
	seen := 0
	var visit func(u int)
	visit = func(u int) {
		seen++
		index[u], low[u] = seen, seen
		stack = append(stack, u)
		onStack[u] = true
		for _, v := range g.next[u] {
			if index[v] == 0 {
				visit(v)
				low[u] = min(low[u], low[v])
			} else if onStack[v] {
				low[u] = min(low[u], index[v])
			}
		}
		if low[u] != index[u] {
			return
		}
		size = append(size, 0)
		for {
			v := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			onStack[v] = false
			of[v] = len(size) - 1
			size[of[v]]++
			if v == u {
				return
			}
		}
	}
	for u := range n {
		if index[u] == 0 {
			visit(u)
		}
	}
	return of, size
}
