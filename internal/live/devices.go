package live

import "time"

// deviceLook is how often the devices of a run are looked after.
const deviceLook = 100 * time.Millisecond

// watchDevices logs every lost device once, as long as the engine runs on without it. Where it does not, its error says so.
func (l *Live) watchDevices() {
	defer close(l.watched)
	if l.shape.GPU == nil || !l.shape.GPU.Follow {
		return
	}
	ticker := time.NewTicker(deviceLook)
	defer ticker.Stop()
	said := 0
	for ended := false; !ended; {
		select {
		case <-l.done:
			ended = true
		case <-ticker.C:
		}
		status := l.engine.GPU()
		if len(status.Lost()) == said {
			continue
		}
		said = len(status.Lost())
		l.options.Log.Warn("a GPU was lost; its lanes go on, on the CPU, with the same signals",
			"lost", status.Lost(), "mismatches", status.Mismatches, "executor", status.Executor(),
			"hint", "see nvidia-smi and the kernel's log (dmesg); a new start tries the GPU again")
	}
}
