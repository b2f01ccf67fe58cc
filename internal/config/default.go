package config

import "time"

// Default returns the configuration of an empty file: every default of this package is here and nowhere else.
func Default() *Config {
	return &Config{
		Version:   Version,
		Partition: "main",
		Clock:     ClockReceive,
		NATS:      NATS{URL: "nats://127.0.0.1:4222"},
		Risk: Risk{
			Stale: time.Second, Crossed: GateRefuse, Locked: GateAllow, MaxTrail: time.Second, Gates: On,
		},
		Engine: Engine{
			Executor: ExecutorAuto, Dispatch: DispatchAuto, Follow: FollowAuto, Lanes: 1, BatchTicks: 64, Mode: ModeAuto,
			Wait: WaitSpinPark, InstrumentsMax: 4096, Heartbeat: 10 * time.Millisecond, GOGC: 400,
		},
		Publish: Publish{Subject: "sig.v1", Format: FormatJSON, QueueSignals: 1 << 16},
		Journal: Journal{
			SegmentBytes: 256 << 20, Sync: SyncInterval, SyncInterval: 100 * time.Millisecond, OnError: OnErrorStop,
		},
	}
}

// DefaultFeed returns a feed with everything but its name and subject.
func DefaultFeed() Feed {
	return Feed{
		Codec: CodecJSON, Trades: TradesTrade, RingTicks: 1 << 16, OnFull: OnFullDrop,
		Pending: Pending{Messages: 1 << 16, Bytes: 64 << 20},
	}
}

// DefaultSignal returns a signal with everything but its name, value and condition.
func DefaultSignal() Signal {
	return Signal{For: []Pattern{{Venue: "*", Symbol: "*"}}, OnGap: OnGapRewarm}
}
