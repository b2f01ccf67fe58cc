// Package natsconn makes the engine's connections to NATS: one for each role (market data in, signals out),
// with the settings that a latency path needs, and errors that tell an operator what to do.
//
//	Config, Handlers ─► Connect ─► Connection ─► natsfeed (subscribes), publish (publishes)
//
// # Settings and why
//
//   - Reconnects: for ever, 25 ms apart (10 to 50 ms jitter), because the library's 2 s are an outage of the market.
//   - No reconnect buffer: a signal delivered after an outage is a stale instruction. Publishing fails instead.
//   - Pings every second, two may be open: a broker that hangs is noticed in about 2.5 s, not in minutes.
//   - A write takes at most WriteTimeout; then the connection is given up and made anew. That bounds what a
//     broker that stopped reading can do to a publisher: WriteTimeout once, then errors until it is back.
//   - No echo: a connection does not hear itself.
//
// # Goroutines
//
// Connect, Drain and Close are control plane. Publish may be called from any goroutine, but each publisher should
// have its own connection. Handlers run on a goroutine of the connection, one after the other.
//
// The package knows no tick and no signal. JetStream and the nats CLI's contexts are not here.
package natsconn
