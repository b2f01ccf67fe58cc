package setup

import (
	"time"

	"github.com/sigengine/sigengine/internal/config"
)

// nextReset returns the function that finds the first session reset after a time, or nil if there are no sessions. A
// reset is at a time of day in a zone: where a change of the clocks skips that time, it is as much later; where one
// repeats it, it is the first.
func nextReset(s config.Session) (func(afterNs int64) int64, error) {
	if !s.Configured() {
		return nil, nil
	}
	hour, minute, second, err := s.TimeOfDay()
	if err != nil {
		return nil, err
	}
	zone, err := s.Location()
	if err != nil {
		return nil, err
	}
	return func(afterNs int64) int64 {
		after := time.Unix(0, afterNs).In(zone)
		year, month, day := after.Date()
		reset := time.Date(year, month, day, hour, minute, second, 0, zone)
		for !reset.After(after) {
			day++
			reset = time.Date(year, month, day, hour, minute, second, 0, zone)
		}
		return reset.UnixNano()
	}, nil
}
