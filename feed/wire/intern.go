package wire

import "github.com/sigengine/sigengine/feed"

// intern returns the handle of a symbol, or why there is none.
func intern(symbols *feed.Symbols, venue, symbol []byte) (uint32, feed.Reject) {
	handle, err := symbols.Intern(venue, symbol)
	switch err {
	case nil:
		return handle, feed.RejectNone
	case feed.ErrSymbolsFull:
		return 0, feed.RejectTooManySymbols
	}
	return 0, feed.RejectSymbolName
}
