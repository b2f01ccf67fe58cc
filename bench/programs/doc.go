// Package programs holds the frozen sets of signals that the demo runs and the benchmarks measure. Figures and
// goldens depend on every character of them, so they are never edited: a new set gets a new name.
package programs

import _ "embed" // the programs are part of the binary

// Six is the text of six.yaml: six signals that use all twelve of the first operators.
//
//go:embed six.yaml
var Six string

// Twenty is the text of twenty.yaml: twenty signals as a desk runs them, from averages to order flow and bars.
//
//go:embed twenty.yaml
var Twenty string
