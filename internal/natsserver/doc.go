// Package natsserver runs a NATS server inside the process: the demo's broker and the tests' one.
//
//	Start ─► server on loopback TCP ◄── any NATS client (URL)
//	              ▲
//	              └── a pipe without TCP for clients in this process (InProcessConn)
//
// The server's settings are those of a latency path. One subscriber that does not read must not slow the
// publishers, so they are never stalled for it (its own messages are lost instead), and it is cut off
// after WriteDeadline. A publisher with nothing to pace it can outrun a subscriber that does read: from 48 MB unread
// its messages are lost without a trace, so whoever publishes at full speed must watch how far the subscriber is.
//
// Start and Close may be called from any goroutine. Close returns after the server has stopped. The server
// keeps nothing on disk, handles no signals and writes no log.
package natsserver
