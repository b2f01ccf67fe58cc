package kernels

import (
	"fmt"
	"math"

	"github.com/sigengine/sigengine/kernels/program"
)

// tableBatch is how many rows are staged at once.
const tableBatch = 64

// Evaluate runs the expressions over rows and returns a column for each output. columns[i] holds Columns[i], NaN where
// a cell has no number; timesNs is the engine time of each row, ascending, or nil if no window of time is used.
func (t *Table) Evaluate(timesNs []int64, columns [][]float64) ([][]float64, error) {
	rows := tableRows{timesNs: timesNs, columns: columns, batch: tableBatch}
	if len(columns) != len(t.Columns) {
		return nil, fmt.Errorf("kernels: %d columns given, the table reads %d", len(columns), len(t.Columns))
	}
	rows.count = len(timesNs)
	if timesNs == nil && len(columns) > 0 {
		rows.count = len(columns[0])
	}
	for i, c := range columns {
		if len(c) != rows.count {
			return nil, fmt.Errorf("kernels: column %s has %d rows, want %d", t.Columns[i], len(c), rows.count)
		}
	}
	return t.evaluate(rows)
}

// tableRows is what a table runs over.
type tableRows struct {
	timesNs []int64
	columns [][]float64
	gaps    []bool // rows before which something is missing, nil for none
	count   int
	batch   int
}

func (t *Table) evaluate(rows tableRows) ([][]float64, error) {
	ex, err := program.NewExecutor(t.Program, 1)
	if err != nil {
		return nil, err
	}
	lane := &program.Lane{
		In:       make([]program.Quarter, t.Program.SlotQuarters*tableBatch),
		Out:      make([]program.Quarter, t.Program.RowQuarters*tableBatch),
		Capacity: tableBatch,
	}
	out := make([][]float64, len(t.Outputs))
	for i := range out {
		out[i] = make([]float64, rows.count)
	}
	for from := 0; from < rows.count; from += rows.batch {
		to := min(from+rows.batch, rows.count)
		for n := from; n < to; n++ {
			rows.stage(lane, n)
		}
		ex.Run(lane, uint64(from), uint64(to))
		for n := from; n < to; n++ {
			for i, o := range t.Outputs {
				out[i][n] = math.Float64frombits(lane.Out[o.Quarter*tableBatch+n%tableBatch].Value)
			}
		}
	}
	return out, nil
}

// stage writes one row as a slot. Its instrument is 0 and its kind none.
func (r *tableRows) stage(lane *program.Lane, n int) {
	at := n % tableBatch
	quarter := func(q int) *program.Quarter { return &lane.In[q*tableBatch+at] }
	var ctl uint32
	if r.gaps != nil && r.gaps[n] {
		ctl |= program.CtlGap
	}
	quarter(program.SlotF1).Aux = ctl
	if r.timesNs != nil {
		quarter(program.SlotTime).Value = uint64(r.timesNs[n])
	}
	for i, c := range r.columns {
		quarter(program.SlotQuartersBase + i).Value = math.Float64bits(c[n])
	}
}
