package table

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/kernels/program"
)

// Options say how to evaluate.
type Options struct {
	Time int // the column of times, -1 if there is none
	Unit TimeUnit
	Keep bool // write the input's cells before the results
}

// Evaluate runs compiled expressions over the rows that are left and returns how many there were.
func Evaluate(r *Reader, t *kernels.Table, o Options, out Writer) (rows int, err error) {
	e, err := newEvaluation(r, t, o, out)
	if err != nil {
		return 0, err
	}
	return e.run()
}

// batchRows is how many rows are computed at a time.
const batchRows = 64

type evaluation struct {
	reader   *Reader
	table    *kernels.Table
	options  Options
	out      Writer
	executor *program.Executor
	lane     program.Lane
	column   []int // of the table, by column of the program
	kept     [batchRows][]string
	values   []float64
	held     int // rows staged and not written
	staged   uint64
	lastNs   int64
	began    bool
}

func newEvaluation(r *Reader, t *kernels.Table, o Options, out Writer) (*evaluation, error) {
	e := &evaluation{reader: r, table: t, options: o, out: out, values: make([]float64, len(t.Outputs))}
	for _, name := range t.Columns {
		at := slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("table: the program reads a column %s, which %s does not have", name, r.file)
		}
		e.column = append(e.column, at)
	}
	var err error
	if e.executor, err = program.NewExecutor(t.Program, 1); err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	e.lane = program.Lane{
		In:       make([]program.Quarter, batchRows*t.Program.SlotQuarters),
		Out:      make([]program.Quarter, batchRows*t.Program.RowQuarters),
		Capacity: batchRows,
	}
	return e, e.header()
}

func (e *evaluation) header() error {
	var kept, names []string
	if e.options.Keep {
		for _, c := range e.reader.columns {
			kept = append(kept, c.Header)
		}
	}
	for _, o := range e.table.Outputs {
		names = append(names, o.Name)
	}
	return e.out.Header(kept, names)
}

func (e *evaluation) run() (rows int, err error) {
	for err == nil {
		if err = e.next(); err == nil {
			rows++
			e.held++
		}
		if e.held == batchRows || err != nil {
			err = errors.Join(err, e.write())
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return rows, errors.Join(err, e.out.Flush())
}

// next reads a row into the next slot.
func (e *evaluation) next() error {
	cells, err := e.reader.Next()
	if err != nil {
		return err
	}
	n := int(e.staged) % batchRows
	for i, column := range e.column {
		value, ok, err := e.reader.Number(column)
		if err != nil {
			return err
		}
		q := program.Quarter{Value: program.CanonicalNaN}
		if ok {
			q.Value = math.Float64bits(value)
		}
		e.lane.In[(program.SlotQuartersBase+i)*batchRows+n] = q
	}
	if err := e.time(n); err != nil {
		return err
	}
	if e.options.Keep {
		e.kept[n] = append(e.kept[n][:0], cells...)
	}
	e.staged++
	return nil
}

func (e *evaluation) time(n int) error {
	if e.options.Time < 0 {
		return nil
	}
	ns, err := e.reader.Time(e.options.Time, e.options.Unit)
	if err != nil {
		return err
	}
	if e.began && ns < e.lastNs {
		return e.reader.CellError(e.options.Time, "before the time of the row above", "sort the rows by time")
	}
	e.began, e.lastNs = true, ns
	e.lane.In[program.SlotTime*batchRows+n].Value = uint64(ns)
	return nil
}

// write computes and writes the rows held.
func (e *evaluation) write() error {
	from := e.staged - uint64(e.held)
	e.executor.Run(&e.lane, from, e.staged)
	for n := from; n < e.staged; n++ {
		at := int(n) % batchRows
		for i := range e.table.Outputs {
			e.values[i] = math.Float64frombits(e.lane.Out[e.table.Outputs[i].Quarter*batchRows+at].Value)
		}
		if err := e.out.Row(e.kept[at], e.values); err != nil {
			return err
		}
	}
	e.held = 0
	return nil
}
