package config

import (
	"regexp"
	"time"
)

// key is one key of a section: its name, its value, and a sentence for the documentation. The tables below are the schema: the
// decoder, the checks of single values, String and docs/config.md all come from them. A section's table binds its keys to the
// fields of one value. To add a key: a field in config.go, its default in default.go, a line here, then `go test -update`.
type key struct {
	name    string
	value   value
	meaning string
}

const (
	expressionNote = "an expression of the signal language"
	signalNameNote = "a name of the form [a-z][a-z0-9_]*, at most 48 bytes"
)

var (
	partitionName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)
	feedName      = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)
	signalName    = regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`)
	streamName    = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	envName       = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
)

// Limits of lists.
const (
	FeedsMax   = 64
	SignalsMax = 64 // bits of a row's mask
)

func (c *Config) keys() []key {
	return []key{
		{"version", required(integer(&c.Version, Version, Version)), "Version of this form. Every file begins with it."},
		{"partition", named(&c.Partition, partitionName, "a name of [A-Za-z0-9_-], at most 32 bytes"), "Name of the partition, in every signal and in the stream's subjects."},
		{"clock", choice(&c.Clock, ClockReceive, ClockExchange), "What engine time is derived from: when ticks were received, or what the venue says (for history and back-tests)."},
		{"late_drop", duration(&c.LateDrop, 0, 24*time.Hour), "Drop ticks further than this behind engine time; they stay in the journal. `0` keeps all. Only with `clock: exchange`."},
		{"nats", section{c.NATS.keys}, "How to reach the server. The key `url` gives way to `NATS_URL`, and both to `--server`."},
		{"feeds", list[Feed]{&c.Feeds, DefaultFeed, (*Feed).keys, FeedsMax}, "The subscriptions, at most 64."},
		{"session", section{c.Session.keys}, "When sessions begin, for windows that are written `session`."},
		{"let", pairs{&c.Let, expressionNote}, "Named expressions that every signal, and every later one of these, may use."},
		{"signals_file", text(&c.signalsFile, "a file name, relative to this file"), "A file with a `signals` list of the same form. Its signals come before the inline ones, which may use them."},
		{"signals", list[Signal]{&c.Signals, DefaultSignal, (*Signal).keys, SignalsMax}, "The signals, at most 64 with those of `signals_file`. One may use the values of those before it."},
		{"risk", section{c.Risk.keys}, "The gates that a signal passes before it is published."},
		{"engine", section{c.Engine.keys}, "Sizes and placement. Nothing here changes what is decided."},
		{"publish", section{c.Publish.keys}, "Where signals go."},
		{"control", section{c.Control.keys}, "How operators speak to the engine ([control.md](control.md))."},
		{"journal", section{c.Journal.keys}, "What is recorded for replay."},
	}
}

func (n *NATS) keys() []key {
	return []key{
		{"url", text(&n.URL, "nats://, tls://, ws:// or wss:// URLs, separated by commas"), "The servers. No user or password in it."},
		{"creds", text(&n.CredsFile, "a file name"), "Credentials file (user JWT and seed)."},
		{"nkey", text(&n.NKeyFile, "a file name"), "NKey seed file."},
		{"user", text(&n.User, "text"), "User name, with `password_env`."},
		{"password_env", optionalNamed(&n.PasswordEnv, envName, "the name of an environment variable"), "The environment variable that holds the password. The password itself is never in a file."},
		{"tls", section{n.TLS.keys}, "TLS files, PEM."},
	}
}

func (t *TLS) keys() []key {
	return []key{
		{"ca", text(&t.CAFile, "a file name"), "Root certificates to trust instead of the system's."},
		{"cert", text(&t.CertFile, "a file name"), "Client certificate, with `key`."},
		{"key", text(&t.KeyFile, "a file name"), "Client key, with `cert`."},
	}
}

func (f *Feed) keys() []key {
	return []key{
		{"name", required(named(&f.Name, feedName, "a name of [A-Za-z0-9_-], at most 32 bytes")), "Name in logs and metrics; unique."},
		{"subject", required(text(&f.Subject, "a NATS subject, wildcards allowed")), "What to subscribe to. No two feeds may receive the same subject."},
		{"queue", text(&f.Queue, "a queue group"), "Share the subject with other members of this group. A queue member sees a part of the ticks."},
		{"codec", choice(&f.Codec, CodecJSON, CodecBinary, CodecBinanceSpot, CodecBinanceUSDM), "How messages are written."},
		{"venue", text(&f.Venue, "text, at most 32 bytes"), "The venue of messages that name none. Without it that is `binance` or `binance-usdm` for those codecs; native messages that name none are then rejected."},
		{"trades", choice(&f.Trades, TradesTrade, TradesAggTrade), "Which of Binance's two trade streams is decoded; the other is ignored. Only for the Binance codecs."},
		{"ring", powerOfTwo(&f.RingTicks, 1<<8, 1<<22), "Ticks that may wait for the sequencer. A tick takes 64 bytes."},
		{"on_full", choice(&f.OnFull, OnFullDrop, OnFullBlock), "When the ring is full: drop what is queued and sequence a gap, or wait."},
		{"pending", section{f.Pending.keys}, "What the client library may queue before it drops messages, which is then a gap."},
	}
}

func (p *Pending) keys() []key {
	return []key{
		{"messages", integer(&p.Messages, 1, 1<<24), "Messages."},
		{"bytes", size(&p.Bytes, 64<<10, 16<<30), "Bytes."},
	}
}

func (s *Signal) keys() []key {
	return []key{
		{"name", required(named(&s.Name, signalName, signalNameNote)), "Name in subjects and in other signals; unique."},
		{"value", required(expression(&s.Value)), "The series that is published. It is evaluated on every tick that makes it fresh."},
		{"when", required(expression(&s.When)), "The condition to enter, or to update what is open. It may use `value`."},
		{"exit", expression(&s.Exit), "The condition to leave. It wins over `when`."},
		{"side", expression(&s.Side), "Positive buys, negative sells."},
		{"strength", expression(&s.Strength), "How strong, in a unit of your own."},
		{"on", evaluators{&s.On}, "What evaluates the signal. Default: `self`, every tick that makes `value` fresh."},
		{"params", pairs{&s.Params, "a number or a duration"}, "Named constants of the signal."},
		{"overrides", list[Override]{&s.Overrides, newOverride, (*Override).keys, overridesMax}, "Parameters that are other numbers for some instruments; the last that fits wins."},
		{"throttle", duration(&s.Throttle, 0, 24*time.Hour), "Shortest engine time between two enters or updates of an instrument."},
		{"horizon", duration(&s.Horizon, 0, 366*24*time.Hour), "How far ahead the signal looks; published as it is."},
		{"expires", duration(&s.Expires, 0, 366*24*time.Hour), "How long after it was decided a signal may be acted upon; then it closes silently. `0`: it does not expire."},
		{"for", patterns{&s.For}, "Which instruments: `venue.symbol` in the venue's own spelling, where `*` stands for any bytes."},
		{"on_gap", choice(&s.OnGap, OnGapRewarm, OnGapHold), "When data is missing: start the windows afresh and stay silent until they are warm, or hold what they have."},
	}
}

func newOverride() Override { return Override{For: DefaultSignal().For} }

func (o *Override) keys() []key {
	return []key{
		{"for", patterns{&o.For}, "Which of the signal's instruments, as its own `for`."},
		{"params", pairs{&o.Params, "a number"}, "The parameters and their numbers."},
	}
}

func (s *Session) keys() []key {
	return []key{
		{"reset", text(&s.Reset, "a time of day, `17:00` or `17:00:00`"), "When a session ends and the next begins, every day."},
		{"zone", text(&s.Zone, "an IANA time zone"), "The zone of `reset`, such as `America/New_York` or `UTC`."},
	}
}

func (e *Engine) keys() []key {
	return []key{
		{"executor", choice(&e.Executor, ExecutorAuto, ExecutorCPU, ExecutorGPU), "Where the program runs. `auto` takes a GPU if the build and the machine have one."},
		{"dispatch", choice(&e.Dispatch, DispatchAuto, DispatchResident, DispatchStream), "How a GPU is given its work: a kernel that stays and polls, or copies and launches. `auto` is resident for a live run, stream for a replay. The CPU ignores it."},
		{"follow", choice(&e.Follow, FollowAuto, FollowOn, FollowOff), "The CPU computes behind the GPU, compares every row, and goes on alone if the GPU is lost. `auto` is on for a live run, off for a replay."},
		{"devices", devices{&e.Devices}, "Which GPUs, by the numbers that the CUDA driver gives them. Left out: all that can be used. Lanes are dealt out over them."},
		{"lanes", integer(&e.Lanes, 1, 64), "Shards of the instruments."},
		{"batch", integer(&e.BatchTicks, 1, 4096), "Most ticks of a lane that run together."},
		{"mode", choice(&e.Mode, ModeAuto, ModeFused, ModeStaged), "All stages on one goroutine, or one each. `auto` is fused below eight processors."},
		{"wait", choice(&e.Wait, WaitSpin, WaitPark, WaitSpinPark), "What a stage does when idle: burn its core, sleep, or first one and then the other."},
		{"instruments", integer(&e.InstrumentsMax, 1, 1<<20), "Most instruments; memory for all is taken at start. Ticks of further ones are counted and dropped."},
		{"heartbeat", duration(&e.Heartbeat, time.Millisecond, time.Second), "Move engine time after this long without a tick."},
		{"gogc", integer(&e.GOGC, 25, 10000), "Garbage collector target, percent."},
		{"memory_limit", sizeOrAuto(&e.MemoryLimitBytes, 64<<20, 1<<44), "Soft memory limit of the Go runtime. `auto` is nine tenths of what the container or the machine has."},
	}
}

func (p *Publish) keys() []key {
	return []key{
		{"subject", text(&p.Subject, "a subject without wildcards"), "Prefix: signals go to `<subject>.<signal>.<venue>.<symbol>`."},
		{"format", choice(&p.Format, FormatJSON, FormatBinary), "How signals are written."},
		{"queue", powerOfTwo(&p.QueueSignals, 1<<8, 1<<22), "Signals that may wait to be published."},
		{"current", text(&p.Current, "a subject without wildcards, or `off`"), "Prefix: a request on `<current>.<partition>` is answered with the signals that are open, for consumers that come late."},
		{"last_stream", optionalNamed(&p.LastStream, streamName, "a name of [A-Za-z0-9_-], at most 64 bytes"), "Make a JetStream stream of this name that keeps the last signal of every subject. Empty: none."},
		{"instance", text(&p.Instance, "text, at most 64 bytes"), "Name of this process in every signal. Empty: the host's name."},
	}
}

func (j *Journal) keys() []key {
	return []key{
		{"dir", text(&j.Dir, "a folder"), "Where the journal goes. Empty: no journal. `--journal` wins over it."},
		{"segment", size(&j.SegmentBytes, 1<<20, 64<<30), "A new file is begun at this size."},
		{"sync", choice(&j.Sync, SyncNone, SyncInterval, SyncBlock), "When it is forced to the disk: never by us, every `sync_interval`, or after every block."},
		{"sync_interval", duration(&j.SyncInterval, time.Millisecond, time.Minute), "For `sync: interval`: most that a power failure may lose."},
		{"retain", size(&j.RetainBytes, 0, 1<<50), "Delete the oldest files beyond this. `0` keeps all."},
		{"on_error", choice(&j.OnError, OnErrorStop, OnErrorContinue), "When it cannot be written: stop the engine, or go on without."},
	}
}
