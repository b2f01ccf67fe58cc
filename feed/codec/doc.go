// Package codec finds a decoder by the name that a configuration gives it.
//
//	"json"          feed/wire    native JSON
//	"binary"        feed/wire    native binary
//	"binance-spot"  feed/venue   Binance spot
//	"binance-usdm"  feed/venue   Binance USD-M futures
//
// It is a package of its own because it knows all the others. It keeps nothing; any goroutine may call it.
package codec
