// Package config is the engine's configuration: one YAML file in, one typed Config out, or every mistake with its place.
//
//	engine.yaml ──► yaml.Node tree ──► decoder ──► Config ──► Validate ──► *Config
//	     │               │                │           ▲            │
//	     │        line, column       schema.go     default.go      │
//	     │               └──────────────┬──────────────────────────┘
//	     └─► source lines ──────────────┴──► Errors: file, line, column, length, message, hint; rendered with a caret
//
// schema.go is the table of all keys. The decoder, the checks, String and docs/config.md are made from it, so they cannot
// disagree. Nothing is guessed: an unknown or repeated key, a wrong type, a missing unit or a value out of range is an error,
// and all errors are reported at once.
//
// Expressions of signals are texts here. Load has package kernels compile them and throws the program away, so that their
// mistakes are reported with all others; scalar.go turns a byte offset inside an expression, however it was written in YAML,
// into a line and a column of the file.
//
// Invariants: a Config from Load is valid and complete; it is not changed afterwards and may be read from any goroutine; it
// holds no secret; Parse(c.String()) equals c. The package reads no environment and connects to nothing; it opens two files at
// most.
//
// What it does not do: YAML anchors, aliases, tags and second documents (refused); includes other than signals_file;
// reloading.
package config
