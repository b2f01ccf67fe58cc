// Package memstore keeps a journal in memory and lets it fail the way disks and power supplies do. It is for simulators
// and tests; any goroutine may use a Store.
//
//	writer ──Write──► [ synced | written, not synced ] ──ReadAt──► readers
//	                           ▲                     ▲
//	                  Crash may cut anywhere here ───┘     FailAfter tears the write that crosses its byte
//
// It deliberately does not model what a crash does to data that was synced: nothing.
package memstore
