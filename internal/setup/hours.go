package setup

import (
	"errors"
	"slices"
	"time"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/risk"
)

// hoursTable are the trading hours that a configuration names, each once.
type hoursTable struct {
	keys  []hoursKey
	hours []risk.Hours
	err   error
}

// hoursKey is what makes two trading hours the same.
type hoursKey struct {
	hours      config.Hours
	warm, cool time.Duration
	holidays   config.Holidays
}

// newHoursTable finds every trading hours that limits can have: those of the whole configuration, and those that any
// overrides together make.
func newHoursTable(c *config.Config) *hoursTable {
	t := &hoursTable{}
	variants := []hoursKey{keyOf(&c.Risk.Limits)}
	for i := range c.Risk.Overrides {
		for _, base := range slices.Clone(variants) {
			l := config.Limits{Hours: base.hours, HoursWarm: base.warm, HoursCool: base.cool, Holidays: base.holidays}
			one := config.Risk{Limits: l, Overrides: []config.RiskOverride{{For: everything, Limits: c.Risk.Overrides[i].Limits}}}
			l = one.LimitsOf("", "*", "*")
			if key := keyOf(&l); !slices.Contains(variants, key) {
				variants = append(variants, key)
			}
		}
		if len(variants) > hoursMax {
			t.err = errors.New("more than 254 different trading hours; name fewer in risk.overrides")
			return t
		}
	}
	for _, key := range variants {
		plan, err := key.hours.Plan()
		if err != nil {
			continue // none, or Validate has said it
		}
		dates, _ := key.holidays.Dates()
		t.keys = append(t.keys, key)
		t.hours = append(t.hours, calendar{plan: plan, warm: key.warm, cool: key.cool, holidays: dates}.at)
	}
	return t
}

const hoursMax = 254

var everything = config.DefaultSignal().For

func keyOf(l *config.Limits) hoursKey {
	return hoursKey{l.Hours, l.HoursWarm, l.HoursCool, l.Holidays}
}

// number returns 1 + the place of limits' trading hours, 0 if they have none.
func (t *hoursTable) number(l *config.Limits) uint8 {
	return uint8(slices.Index(t.keys, keyOf(l)) + 1)
}

// calendar is one trading hours.
type calendar struct {
	plan       config.Plan
	warm, cool time.Duration
	holidays   []string // 2026-12-25
}

// at says whether trading is on at a time and until when that stays so.
func (c calendar) at(nowNs int64) (open bool, untilNs int64) {
	now := time.Unix(0, nowNs).In(c.plan.Zone)
	// A day's hours may reach into the next, and next week has a day with hours if any week has, but for holidays.
	for day := -1; day <= 8; day++ {
		from, to, ok := c.hours(now, day)
		if !ok || !now.Before(to) {
			continue
		}
		if now.Before(from) {
			return false, from.UnixNano()
		}
		return true, to.UnixNano()
	}
	return false, now.AddDate(0, 0, 1).UnixNano()
}

// hours returns when trading begins and ends that begins so many days from a time's day.
func (c calendar) hours(now time.Time, day int) (from, to time.Time, ok bool) {
	year, month, date := now.Date()
	date += day
	midday := time.Date(year, month, date, 12, 0, 0, 0, c.plan.Zone)
	if !c.plan.Days[midday.Weekday()] || slices.Contains(c.holidays, midday.Format(time.DateOnly)) {
		return from, to, false
	}
	wall := func(date int, at time.Duration) time.Time {
		return time.Date(year, month, date, int(at/time.Hour), int(at/time.Minute)%60, int(at/time.Second)%60, 0, c.plan.Zone)
	}
	from, to = wall(date, c.plan.Open), wall(date, c.plan.Close)
	if c.plan.Close <= c.plan.Open {
		to = wall(date+1, c.plan.Close)
	}
	from, to = from.Add(c.warm), to.Add(-c.cool)
	return from, to, from.Before(to)
}
