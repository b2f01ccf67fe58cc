// Package control is how operators speak to a running engine, and how the engine tells that it lives: a NATS service that
// nats micro finds, and heartbeats.
//
//	nats micro, nats request ─┐
//	sigengine control ────────┴─► Service ─► Engine.Command ─► control inlet ─► journal, sequencer, desk
//	                                 │             (a record like a price: a replay crosses it)
//	                                 ├─► answer, once the desk says that it is in force
//	                                 └─► heartbeats: <heartbeat>.<partition>.<instance>
//
// Who may do what is not decided here but by the server's permissions on subjects: what changes something goes to
// <subject>.<partition>.<verb>.<operator>, and a server that lets a login publish only where its own name is the last
// token has said who it is. That name is journaled with the command.
//
// What changes something, and status, is heard by every instance of a partition: no queue group. A kill is heard by the
// instances of all partitions on <subject>.kill.<operator>, too.
//
// Fail closed: a kill that cannot be understood kills everything; a resume or a loosening that cannot be understood does
// nothing. Loosening takes two steps.
//
// Who may call what: Serve and Stop from one goroutine. Handlers run on goroutines of the NATS client, one an endpoint, so
// a command waits for none of another endpoint. Engine must be safe to call from them.
//
// The package touches no engine but by Engine, keeps nothing across a restart, and reads no clock: times are the engine's.
package control
