package feed

// Reject says why a message or a tick of a message was not decoded.
type Reject uint8

// The reasons. Their names are labels of metrics and keys of JSON output: append only, never rename.
const (
	RejectNone            Reject = iota
	RejectMalformed              // not the format at all: broken syntax, bytes left over
	RejectTruncated              // ends before the format says it does
	RejectTooLarge               // longer than MessageBytesMax
	RejectTooDeep                // nested deeper than DepthMax
	RejectBadUTF8                // text that is not UTF-8, or half of a surrogate pair
	RejectMissingField           // a field the kind needs is absent, null, or only half there
	RejectWrongType              // a field or element of another JSON type than its meaning needs
	RejectDuplicateField         // a field with a meaning appears twice
	RejectBadNumber              // a number in a string that is none, or an integer that is none or out of range
	RejectNotFinite              // infinite, out of float64's range, or NaN where it has no meaning
	RejectBadSize                // a size or count below zero
	RejectBadTime                // an exchange time below zero or beyond int64 nanoseconds
	RejectBadSide                // a side, aggressor or level that does not exist
	RejectBadStatus              // a trading status or gap reason that does not exist
	RejectUnknownKind            // no such kind of tick or message
	RejectUnsupportedKind        // a kind that exists but is not accepted from a feed
	RejectNAPrint                // an exchange's record that is no trade: 'NA', or zero price with zero size
	RejectSymbolName             // a venue or symbol empty or too long
	RejectTooManySymbols         // the source's symbol table is full
	RejectBadVersion             // a frame of a version, or with flags, this build does not know
	RejectUnknownHandle          // a binary tick whose symbol was not defined yet
	RejectHandleConflict         // a session gave one handle two names: the handle is not trusted again
	RejectUnknownFlags           // a binary tick with flags this build does not know
	RejectReservedNotZero        // a binary tick with something in a value its kind does not use
	RejectCount           int    = iota
)

var rejectNames = [RejectCount]string{
	"none", "malformed", "truncated", "too_large", "too_deep", "bad_utf8", "missing_field", "wrong_type",
	"duplicate_field", "bad_number", "not_finite", "bad_size", "bad_time", "bad_side", "bad_status",
	"unknown_kind", "unsupported_kind", "na_print", "symbol_name", "too_many_symbols", "bad_version",
	"unknown_handle", "handle_conflict", "unknown_flags", "reserved_not_zero",
}

// String returns the reason's stable lower_snake name.
func (r Reject) String() string {
	if int(r) < len(rejectNames) {
		return rejectNames[r]
	}
	return "unknown"
}

// Ignored says what a message was that is well formed but carries nothing the engine takes.
type Ignored uint8

// The kinds of ignored message. Names are stable like those of Reject.
const (
	IgnoredDepthDiff     Ignored = iota // a change of an order book
	IgnoredDepthSnapshot                // a whole order book
	IgnoredTrade                        // single trades, where aggregate trades are taken
	IgnoredAggTrade                     // aggregate trades, where single trades are taken
	IgnoredTicker                       // rolling statistics
	IgnoredKline                        // bars
	IgnoredMarkPrice                    // mark, index and funding figures
	IgnoredLiquidation                  // forced orders
	IgnoredNotice                       // contract, asset or server notices
	IgnoredAccount                      // messages about an account
	IgnoredResponse                     // answers to subscription requests
	IgnoredCount         int     = iota
)

var ignoredNames = [IgnoredCount]string{
	"depth_diff", "depth_snapshot", "trade", "agg_trade", "ticker", "kline", "mark_price", "liquidation",
	"notice", "account", "response",
}

// String returns the stable lower_snake name of the kind.
func (i Ignored) String() string {
	if int(i) < len(ignoredNames) {
		return ignoredNames[i]
	}
	return "unknown"
}
