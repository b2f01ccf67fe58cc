// Package publish is where decided signals leave: on NATS, into memory, or nowhere.
//
//	risk ─► Emit(pair, body, receiveNs) ─► encode into a reused buffer ─► Conn.Publish ─► NATS
//	                │                        body + trailer                    │
//	                └── Result, for the journal ◄──────────────────────────────┘
//
// # Rules
//
//   - A sink belongs to one goroutine, except its Stats. Emit does not allocate, but for the first signal of a pair,
//     whose subject it makes and keeps. (nats.go itself allocates about 20 bytes a message.)
//   - Nothing is kept to be sent later, and nothing is sent twice. A signal that cannot go now is refused with a Result,
//     and the consumer sees the hole in the output sequence.
//   - Published means handed to the client library; core NATS confirms nothing.
//   - An enter or an update that has waited longer than it is valid is not published. Exits and withdraws always are.
//   - Emit takes at most about two of the connection's write timeouts (natsconn, 250 ms each by default), and that only
//     once: the connection is given up then, and Emit fails at once until there is another.
//   - The sequence numbers, the hash and what is decided come from the engine. What happens here never changes them.
//
// No headers and no flush a message: each costs more than the publish.
package publish
