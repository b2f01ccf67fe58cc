// Package tidy holds the project's habits as tests: who may import whom, what may be called where, how long a file may be.
// It has no code of its own. Each rule is a table or a short function in a file by its name, and each failure says what to
// write instead:
//
//	imports_test.go    the import table, what may not be reached at all
//	banned_test.go     calls with a better way; what data-plane files do without
//	maprange_test.go   ranging over a map where order could reach the output
//	layout_test.go     doc.go, lengths, names that the go tool drops, formatting
//	module_test.go     go.mod names what is imported
//	text_test.go       paths of one machine, unfinished work, skips without a reason
//	tree_test.go       the parsed tree they all read
//	rules_test.go      each rule against a source that breaks it
//
// A rule covers what exists; a package that is not in the import table fails until it is added there.
package tidy
