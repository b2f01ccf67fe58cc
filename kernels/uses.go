package kernels

import (
	"iter"

	"github.com/sigengine/sigengine/kernels/expr"
)

// nodeUse says what a node depends on.
type nodeUse struct {
	quote, trade bool
	references   uint32 // bits: indices into the references
}

// usesOf tells of every node what it depends on; reference gives a reference's index, negative if it has none.
func usesOf(g *expr.Graph, c *Catalogue, reference func(*expr.Node) int) []nodeUse {
	uses := make([]nodeUse, len(g.Nodes))
	for i := range g.Nodes {
		n := &g.Nodes[i]
		u := &uses[i]
		switch n.Op {
		case expr.OpField:
			source := c.field[n.Name].Source
			u.quote, u.trade = source == FromQuote, source == FromTrade
		case expr.OpReference:
			if reference != nil {
				if at := reference(n); at >= 0 {
					u.references = 1 << at
				}
			}
		}
		for _, arg := range n.Args {
			u.quote = u.quote || uses[arg].quote
			u.trade = u.trade || uses[arg].trade
			u.references |= uses[arg].references
		}
	}
	return uses
}

// reachable are the nodes below the roots, roots included, arguments first.
func reachable(g *expr.Graph, roots ...expr.Ref) iter.Seq[expr.Ref] {
	needed := make([]bool, len(g.Nodes))
	for _, root := range roots {
		if root >= 0 {
			needed[root] = true
		}
	}
	for ref := len(g.Nodes) - 1; ref >= 0; ref-- {
		if needed[ref] {
			for _, arg := range g.Nodes[ref].Args {
				needed[arg] = true
			}
		}
	}
	return func(yield func(expr.Ref) bool) {
		for ref := range g.Nodes {
			if needed[ref] && !yield(expr.Ref(ref)) {
				return
			}
		}
	}
}
