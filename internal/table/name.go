package table

import (
	"strings"

	"github.com/sigengine/sigengine/kernels/expr"
)

// Column is one column of a table.
type Column struct {
	Header string // as the table has it
	Name   string // in expressions; empty if the header has no letter or digit
}

// Renamed reports whether expressions use another name than the header.
func (c Column) Renamed() bool { return c.Name != c.Header }

const nameBytesMax = 64

// NameOf is the name that expressions use for a header: capitals become small, everything but letters a to z, digits and
// underscores becomes one underscore, and none of these stands at an end. A name that would begin with a digit gets an
// underscore before it, a word of the language one after it.
//
//	Close ─► close     Adj Close ─► adj_close     stdDev ─► stddev     2y (%) ─► _2y     value ─► value_
func NameOf(header string) string {
	var b strings.Builder
	gap := false
	for _, r := range header {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		if r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			gap = b.Len() > 0
			continue
		}
		if b.Len() == 0 && r >= '0' && r <= '9' {
			b.WriteByte('_')
		}
		if gap {
			b.WriteByte('_')
			gap = false
		}
		b.WriteRune(r)
		if b.Len() >= nameBytesMax-2 {
			break
		}
	}
	name := b.String()
	if strings.Trim(name, "_") == "" {
		return ""
	}
	if expr.Reserved(name) {
		name += "_"
	}
	return name
}

// names gives the columns their names and refuses those that are not clear.
func (r *Reader) names(headers []string) error {
	first := map[string]int{}
	for i, header := range headers {
		c := Column{Header: header, Name: NameOf(header)}
		r.columns = append(r.columns, c)
		before, taken := first[c.Name]
		if c.Name == "" || !taken {
			first[c.Name] = i
			continue
		}
		e := r.headerError(i, "")
		if headers[before] == header {
			e.Message = "column " + number(before+1) + " has the same header"
		} else {
			e.Message = "column " + number(before+1) + " (" + shown(headers[before]) + ") has the same name in expressions, " + c.Name
		}
		e.Hint = "give one of them another"
		return e
	}
	return nil
}
