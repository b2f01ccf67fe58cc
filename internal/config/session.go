package config

import (
	"errors"
	"time"
	_ "time/tzdata" // zones are the same on every machine
)

// Session says when sessions begin: every day when it is Reset in Zone. Without a Reset there are none.
type Session struct {
	Reset string // time of day, 17:00 or 17:00:00; empty for no sessions
	Zone  string // IANA name
}

// ErrReset says that a text is not a time of day.
var ErrReset = errors.New("config: want hours and minutes of the day, such as 17:00 or 08:30:00")

// Configured reports whether there are sessions.
func (s Session) Configured() bool { return s.Reset != "" }

// TimeOfDay returns hour, minute and second of the reset.
func (s Session) TimeOfDay() (hour, minute, second int, err error) {
	for _, layout := range []string{"15:04", "15:04:05"} {
		if t, err := time.Parse(layout, s.Reset); err == nil && len(s.Reset) == len(layout) {
			return t.Hour(), t.Minute(), t.Second(), nil
		}
	}
	return 0, 0, 0, ErrReset
}

// Location returns the zone, from the time zone database in this binary or the system's.
func (s Session) Location() (*time.Location, error) {
	if s.Zone == "" || s.Zone == "Local" {
		return nil, errors.New("config: want an IANA time zone, such as America/New_York, Europe/London or UTC")
	}
	return time.LoadLocation(s.Zone)
}

func (s Session) relations(r *report) {
	switch {
	case s.Reset == "" && s.Zone == "":
		return
	case s.Reset == "":
		r.add("session.reset", "is missing", "add when a session begins, such as reset: \"17:00\"")
	case s.Zone == "":
		r.add("session.zone", "is missing", "add the zone of the reset, such as zone: America/New_York")
	}
	if _, _, _, err := s.TimeOfDay(); s.Reset != "" && err != nil {
		r.add("session.reset", "is "+quote(s.Reset), hintOf(err))
	}
	if _, err := s.Location(); s.Zone != "" && err != nil {
		r.add("session.zone", "is "+quote(s.Zone), "want an IANA time zone, such as America/New_York, Europe/London or UTC")
	}
}
