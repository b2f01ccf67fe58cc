// Package table reads tables of comma-separated values and computes expressions over them.
//
//	CSV ─► Reader ─► Row (cells, numbers, time) ─► Evaluate ─► Writer (CSV or JSON lines)
//	         │                                       ▲
//	         └─ Columns (names) ─► kernels.CompileTable
//
// Every row is a tick on which every column is fresh whose cell is not empty; an empty cell is undefined. Numbers are
// read as strconv.ParseFloat reads them and written as the shortest text that reads back as the same number.
//
// One goroutine uses a Reader, and Evaluate is a function.
//
// Invariants:
//   - memory is bounded whatever the input: a row has at most RowBytesMax bytes, and no more than a batch of rows is held;
//   - every error about the input is an *Error that names file, line, row and column and shows the text;
//   - rows before the first error have been written when the error is returned.
//
// The package opens no files, guesses no formats, and does not repair: a doubtful cell is an error with a hint.
package table
