// Package live makes a running engine out of a configuration: connections, sources, journal, engine, publisher.
//
//	Start ──► journal opened ─► engine made ─► connected, subscribed ─► running
//	Stop  ──► sources drained ─► engine finished ─► publisher drained ─► journal ended and closed
//
// One goroutine calls Start and Stop; Status and Command are anyone's. The commands run, demo and record, and the
// pipeline benchmark, are this package with different settings.
//
// The order of Stop is what makes a clean shutdown lose nothing: each part has handled everything before the next
// is closed. If Stop's context ends first, what is queued is lost, and said.
package live
