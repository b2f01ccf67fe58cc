// Package expr is the language in which users write signals: text to tokens, tokens to a tree, tree to a
// checked graph.
//
//	text ─► lex ─► Parse ─► Expr (tree, byte offsets) ─► Check ─► Graph (typed, shared nodes) ─► package kernels
//	                 │                                     │
//	                 └──────────────► Error ◄──────────────┘   offset, length, message, hint; Render draws the caret
//
// The grammar, loosest binding first; comparisons do not chain:
//
//	expr    = expr ("or" | "||") expr
//	        | expr ("and" | "&&") expr
//	        | ("not" | "!") expr
//	        | expr ("<" | "<=" | ">" | ">=" | "==" | "!=") expr
//	        | expr ("+" | "-") expr
//	        | expr ("*" | "/") expr
//	        | ("-" | "+") expr
//	        | number [unit] | "true" | "false" | text | name | name "(" [args] ")" | "(" expr ")"
//	args    = [name "="] expr {"," [name "="] expr}      positional ones first
//	unit    = "ns" | "us" | "ms" | "s" | "m" | "h" | "bp" | "pct"     (m is minutes), directly after the number
//	name    = [a-z_][a-z0-9_]*
//	text    = a venue or a symbol between double quotes, without escapes
//
// Who may call what: everything here is control plane, run when a configuration is read. A Graph and a
// Catalogue under construction belong to one goroutine; a Catalogue that is complete may be shared by any number.
//
// Invariants:
//   - Every Error lies inside its text: 0 <= Offset <= Offset+Length <= len(text).
//   - Text is bounded (MaxSourceBytes, MaxDepth), so parsing and checking are bounded in time and stack.
//   - Printing a tree and parsing it again gives an equal tree.
//   - Graph nodes are interned: equal expressions under equal gap policies, clocks and instruments are one node, so they
//     share state. What a clock samples and what another instrument computes are nodes of their own kind.
//     A node's arguments always come before it.
//   - Constants are folded in float64 in the order in which they are written.
//
// What it deliberately does not do: it knows no operator or field by name (the Catalogue names them), emits no
// instructions, reads no files, and never guesses: a doubtful text is an error with a hint.
package expr
