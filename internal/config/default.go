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
			Limits: defaultLimits(), MaxTrail: time.Second, Gates: On, RateTotal: 50_000, RateTotalBurst: 5_000,
			DecodeErrors: 10, DecodeWindow: time.Second, DecodeHold: 5 * time.Second,
			Budget:  Budget{FillsStale: 2 * time.Second},
			Latency: Latency{Late: 5, Of: 20, Clean: 50}, Deadman: Deadman{Subject: "ctl.v1.hb"},
			Rejected: "rej.v1",
		},
		Engine: Engine{
			Executor: ExecutorAuto, Dispatch: DispatchAuto, Follow: FollowAuto, Lanes: 1, BatchTicks: 64, Mode: ModeAuto,
			Wait: WaitSpinPark, InstrumentsMax: 4096, Heartbeat: 10 * time.Millisecond, GOGC: 400,
		},
		Publish: Publish{Subject: "sig.v1", Format: FormatJSON, QueueSignals: 1 << 16, Current: "cur.v1"},
		Control: Control{Subject: "ctl.v1", Heartbeat: "hb.v1", Beat: 250 * time.Millisecond, Loosen: LoosenSteps, Confirm: time.Minute},
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

// defaultLimits let normal signals live: a gate is on from the start where what it refuses is a fault of the data or of the
// program, and off where only the user can know what is normal.
func defaultLimits() Limits {
	return Limits{
		Stale: time.Second, StaleReference: 5 * time.Second, GapTicks: 1, Skew: 2 * time.Second,
		Crossed: GateRefuse, Locked: GateAllow, Empty: GateRefuse, Spread: 0.05,
		Collar: 0.1, CollarWindow: 5 * time.Minute, Velocity: 0.05, VelocityWindow: time.Second, VelocityHold: 5 * time.Second,
		Duplicate: 250 * time.Millisecond, Rate: 500, RateBurst: 250, Repeat: 200, RepeatWindow: time.Minute, Multiplier: 1,
	}
}
