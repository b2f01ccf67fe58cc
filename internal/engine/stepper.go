package engine

// Progress says what a step did.
type Progress uint8

// What a step did.
const (
	Idle   Progress = 0 // nothing: there was nothing to do
	Beat   Progress = 1 // it sequenced a heartbeat
	Worked Progress = 2 // it sequenced ticks
	Ended  Progress = 3 // the engine has stopped: Close and read the results
)

// Stepper drives an engine from outside, one turn at a time, where Run would wait and turn by itself: a simulator decides
// when the engine gets its turns. With ModeFused nothing depends on scheduling then. One goroutine, which takes the place of Run's.
//
//	stepper := e.Steps()
//	for progress := engine.Idle; progress != engine.Ended; {
//		progress, err = stepper.Step()
//	}
//	stepper.Close()
type Stepper struct {
	e     *Engine
	nowNs int64 // of the last step
	ended bool
	err   error
}

// Steps starts the engine. It takes the place of Run, which must not be called as well.
func (e *Engine) Steps() *Stepper {
	e.lastNs = e.clock.NowNs()
	e.flushNs = e.lastNs
	e.startGPU()
	e.pipeline.start()
	return &Stepper{e: e}
}

// Step takes one turn: up to a batch of ticks, or a heartbeat if one is due. Ended comes when all sources have closed
// and were drained, after Stop, and with the journal's error if that failed under its stop policy; further steps repeat it.
func (s *Stepper) Step() (Progress, error) {
	if s.ended {
		return Ended, s.err
	}
	progress, err := s.step()
	s.ended, s.err = progress == Ended, err
	return progress, err
}

func (s *Stepper) step() (Progress, error) {
	e := s.e
	if err := e.fault(); err != nil {
		return Ended, err
	}
	stopping := e.stopping.Load()
	s.nowNs = e.clock.NowNs()
	before := e.sequencer.sequence
	n := e.turn(e.config.Batch)
	if e.sequencer.sequence != before {
		e.lastNs = s.nowNs // what is refused does not keep a heartbeat away
	}
	e.flushDue(s.nowNs)
	switch {
	case stopping:
		return Ended, e.rest()
	case n == 0 && e.allDone():
		return Ended, e.fault()
	case e.heartbeatDue(s.nowNs):
		return Beat, nil
	case n > 0:
		return Worked, nil
	}
	e.idle()
	return Idle, nil
}

// Close finishes what was sequenced and lets blocked sources go. It is called once; results may be read afterwards. Its error
// is that of a device lost or of the journal, also if a step told it before.
func (s *Stepper) Close() error {
	e := s.e
	e.pipeline.finish()
	e.endGPU()
	e.flush()
	e.timing.close()
	for _, inlet := range e.inlets {
		inlet.Abandon()
	}
	return e.fault()
}

// passed reports whether a period has passed since a time. A clock that went back is taken to say yes: waiting until it
// has caught up could take for ever.
func passed(sinceNs, nowNs, periodNs int64) bool {
	elapsedNs := nowNs - sinceNs
	return elapsedNs < 0 || elapsedNs >= periodNs
}
