package config

import "time"

// Version is the only value of the key `version` that this build reads.
const Version = 1

// Config is one engine's configuration. Load and Default return it complete: every key has a value. It is not changed
// after Load; whoever changes a copy calls Validate again. Durations are time.Duration, counts and sizes say their unit.
type Config struct {
	Version   int           // always Version
	Partition string        // name of the partition, [A-Za-z0-9_-]{1,32}
	Clock     Clock         // what engine time is derived from
	LateDrop  time.Duration // drop ticks further than this behind engine time; 0 keeps all; exchange clock only
	NATS      NATS
	Feeds     []Feed
	Session   Session  // when sessions begin; the zero value for none
	Let       []Named  // expressions that signals may use by name
	Signals   []Signal // those of signals_file first, then the inline ones
	Risk      Risk
	Engine    Engine
	Publish   Publish
	Control   Control
	Journal   Journal

	signalsFile string            // as written; nothing once its signals are in Signals
	origins     map[string]origin // where each key was written; nil for a Config that was not loaded
}

// Clock says what engine time is derived from.
type Clock string

// The clocks.
const (
	ClockReceive  Clock = "receive"
	ClockExchange Clock = "exchange"
)

// NATS says how to reach the server. It holds names of files and variables, never a secret.
type NATS struct {
	URL         string // one or more, separated by commas; no user or password in it
	CredsFile   string // user JWT and seed, as `nsc` writes it
	NKeyFile    string // nkey seed
	User        string
	PasswordEnv string // environment variable that holds the password of User
	TLS         TLS
}

// TLS names PEM files. All empty: TLS only if the URL or the server asks for it, with the system's roots.
type TLS struct {
	CAFile, CertFile, KeyFile string
}

// Codec names how a feed's messages are written.
type Codec string

// The codecs.
const (
	CodecJSON        Codec = "json"
	CodecBinary      Codec = "binary"
	CodecBinanceSpot Codec = "binance-spot"
	CodecBinanceUSDM Codec = "binance-usdm"
)

// Trades says which of a venue's two trade streams a feed decodes; the other is ignored.
type Trades string

// The trade streams.
const (
	TradesTrade    Trades = "trade"
	TradesAggTrade Trades = "aggTrade"
)

// OnFull says what a feed does when its ring is full.
type OnFull string

// What a feed does when its ring is full.
const (
	OnFullDrop  OnFull = "drop"  // drop the tick, discard what is queued, sequence a gap
	OnFullBlock OnFull = "block" // wait: the server or the client library then drops, or a stream waits
)

// Feed is one subscription.
type Feed struct {
	Name      string
	Subject   string // may hold the wildcards * and >
	Queue     string // queue group, empty for none
	Codec     Codec
	Venue     string // venue of messages that name none; empty: the codec's own, if it has one
	Trades    Trades
	RingTicks int // power of two
	OnFull    OnFull
	Pending   Pending
}

// Pending bounds what the client library queues for a feed before it drops.
type Pending struct {
	Messages int
	Bytes    int64
}

// Named is a text with a name: an expression of `let`, or a constant of `params`.
type Named struct {
	Name, Text string
}

// Override gives parameters of a signal other values for some instruments. Where several select an instrument the last wins.
type Override struct {
	For    []Pattern
	Params []Named
}

// OnGap says what a signal does when market data is missing.
type OnGap string

// What a signal does when market data is missing.
const (
	OnGapRewarm OnGap = "rewarm" // its windows start afresh; it is silent until they are warm
	OnGapHold   OnGap = "hold"   // its windows keep what they have
)

// Signal is one entry of `signals`. The texts of expressions are checked by package kernels, not here.
type Signal struct {
	Name     string
	Value    string
	When     string
	Exit     string // empty for none
	Side     string // empty for none
	Strength string // empty for none
	On       []string
	Params   []Named
	Throttle time.Duration
	Horizon  time.Duration
	Expires  time.Duration
	For      []Pattern
	OnGap    OnGap

	Overrides []Override
}

// Gate is the verdict of a gate that can be told to let pass.
type Gate string

// The verdicts.
const (
	GateRefuse Gate = "refuse"
	GateAllow  Gate = "allow"
)

// Switch is on or off.
type Switch string

// The positions of a switch.
const (
	On  Switch = "on"
	Off Switch = "off"
)

// Executor says where the program runs.
type Executor string

// The executors.
const (
	ExecutorAuto Executor = "auto"
	ExecutorCPU  Executor = "cpu"
	ExecutorGPU  Executor = "gpu"
)

// Dispatch says how a GPU is given its work.
type Dispatch string

// The dispatch modes.
const (
	DispatchAuto     Dispatch = "auto" // resident for a live run, stream for a replay
	DispatchResident Dispatch = "resident"
	DispatchStream   Dispatch = "stream"
)

// Follow says whether the CPU follows what a GPU computes.
type Follow string

// Whether it does.
const (
	FollowAuto Follow = "auto" // in a live run, not in a replay
	FollowOn   Follow = "on"
	FollowOff  Follow = "off"
)

// Mode says on how many goroutines the stages run.
type Mode string

// The modes.
const (
	ModeAuto   Mode = "auto" // fused below eight processors
	ModeFused  Mode = "fused"
	ModeStaged Mode = "staged"
)

// Wait says what a stage does when it has nothing to do.
type Wait string

// The wait strategies.
const (
	WaitSpin     Wait = "spin"
	WaitPark     Wait = "park"
	WaitSpinPark Wait = "spin-park"
)

// Engine sizes the engine. None of it changes what is decided.
type Engine struct {
	Executor         Executor
	Dispatch         Dispatch
	Follow           Follow
	Devices          []int // indexes of GPUs; empty: all
	Lanes            int
	BatchTicks       int
	Mode             Mode
	Wait             Wait
	InstrumentsMax   int
	Heartbeat        time.Duration
	GOGC             int   // percent
	MemoryLimitBytes int64 // 0 is auto
}

// Format is how signals are written.
type Format string

// The formats.
const (
	FormatJSON   Format = "json"
	FormatBinary Format = "binary"
)

// Publish says where signals go.
type Publish struct {
	Subject      string // prefix of every signal's subject
	Format       Format
	QueueSignals int    // power of two
	Instance     string // empty: the host's name
	Current      string // prefix of the subject on which is answered what is open; OffWord: nobody answers
	LastStream   string // JetStream stream that keeps the last signal of every subject; empty: none
}

// Sync says when the journal is forced to the disk.
type Sync string

// When the journal is forced to the disk.
const (
	SyncNone     Sync = "none"     // when the operating system pleases
	SyncInterval Sync = "interval" // every SyncInterval
	SyncBlock    Sync = "block"    // after every block
)

// OnError says what the engine does when the journal cannot be written.
type OnError string

// What the engine does when the journal cannot be written.
const (
	OnErrorStop     OnError = "stop"
	OnErrorContinue OnError = "continue"
)

// Journal says what is recorded and where.
type Journal struct {
	Dir          string // empty: no journal
	SegmentBytes int64
	Sync         Sync
	SyncInterval time.Duration
	RetainBytes  int64 // 0 keeps all
	OnError      OnError
}
