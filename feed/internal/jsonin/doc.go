// Package jsonin is the way JSON enters: fastjson for the parsing, and around it what fastjson leaves open.
//
//	bytes ──► inspect ──► (strict) ──► fastjson ──► Number, Uint, Text, Bool
//	           8 bytes     only if      one reused    exact, by reason
//	           a step      not plain    parser
//
// fastjson is quick and lenient: it takes control characters and broken UTF-8 in strings, half surrogate
// pairs, and numbers such as 01, 1.e5 or nan; its errors are built from the message, level by level. So a
// message that is not plain (printable ASCII without escapes, shallow, short) passes a strict check of the
// whole grammar first, which costs about a nanosecond a byte. A plain message can only be wrong in its
// numbers, and those are checked when they are read; Check does it for values that nobody reads.
//
// Numbers are taken as text and converted exactly as strconv.ParseFloat does; integers never pass through
// float64.
//
// A Reader belongs to one goroutine. Values are valid until its next Parse. What it keeps is bounded: the
// parser is replaced after renewBytes of messages that were not short.
package jsonin
