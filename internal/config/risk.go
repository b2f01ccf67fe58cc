package config

import (
	"slices"
	"strconv"
	"time"
)

// Risk sets the gates.
type Risk struct {
	Limits
	MaxTrail time.Duration // refuse while receive time trails engine time by more
	Kill     []Kill        // killed from the start
	Gates    Switch        // off lets everything pass, marked in every signal

	RateTotal      int // a second, over all instruments; 0: any number
	RateTotalBurst int
	DecodeErrors   int           // so many messages of a feed that cannot be read, within DecodeWindow; 0: never
	DecodeWindow   time.Duration //
	DecodeHold     time.Duration // make its instruments rest this long
	Budget         Budget
	Latency        Latency
	Deadman        Deadman
	JournalLag     time.Duration // the journal may trail by this; 0: any
	DiskFree       int64         // bytes that the journal's disk must have free; 0: any
	Fills          string        // subject of fills and positions; empty: none
	Rejected       string        // prefix of rejections' subjects; OffWord: they are not published
	Overrides      []RiskOverride
}

// OffWord is the value of a subject that is not used.
const OffWord = "off"

// Budget bounds what fills add up to over all instruments. Zero leaves a bound off.
type Budget struct {
	Gross, Net, Drawdown, DayLoss float64       // money
	FillsStale                    time.Duration // only what reduces passes without news of fills for this long
}

// Latency is the breaker: decisions that come late stop those that follow.
type Latency struct {
	Limit time.Duration // from receipt to decision; 0: never
	Late  int           // so many later than Limit
	Of    int           // of the last so many: the breaker opens
	Clean int           // so many in a row in time: it closes
}

// Deadman stops the engine's signals when its supervisor is silent.
type Deadman struct {
	After   time.Duration // 0: off
	Subject string        // of the supervisor's messages
}

func (r *Risk) keys() []key {
	const day = 24 * time.Hour
	return slices.Concat([]key{
		{"gates", choice(&r.Gates, On, Off), "`off` lets everything pass and marks every signal `gates_off`. For research only."},
		{"kill", kills{&r.Kill}, "Gate `kill`: killed from the start; enters and updates are refused."},
		{"max_trail", duration(&r.MaxTrail, time.Millisecond, day), "Gate `clock`: refuse while receive time trails engine time by more than this."},
	}, r.Limits.keys(), []key{
		{"rate_total", integer(&r.RateTotal, 0, 1e6), "Gate `rate_total`: most signals a second, over all instruments. `0`: any number."},
		{"rate_total_burst", integer(&r.RateTotalBurst, 1, 1e6), "Gate `rate_total`: most signals at once."},
		{"decode_errors", integer(&r.DecodeErrors, 0, 1e6), "Gate `decode`: so many messages of a feed within `decode_window` that cannot be read make its instruments rest. `0`: never."},
		{"decode_window", duration(&r.DecodeWindow, time.Millisecond, day), "Gate `decode`: within this."},
		{"decode_hold", duration(&r.DecodeHold, time.Millisecond, day), "Gate `decode`: they rest so long after."},
		{"budget", section{r.Budget.keys}, "Gates `exposure`, `drawdown` and `fills`: what fills may add up to."},
		{"latency", section{r.Latency.keys}, "Gate `latency`: stop when decisions come late."},
		{"deadman", section{r.Deadman.keys}, "Gate `deadman`: stop when the supervisor is silent."},
		{"journal_lag", duration(&r.JournalLag, 0, day), "Gate `recorder`: stop while the journal trails by more than this. `0`: never."},
		{"disk_free", size(&r.DiskFree, 0, 1<<50), "Gate `disk`: stop while the journal's disk has less than this free. `0`: never."},
		{"fills", text(&r.Fills, "a NATS subject, wildcards allowed"), "Where fills and positions come from. Empty: there are none."},
		{"rejected", text(&r.Rejected, "a subject without wildcards, or `off`"), "Prefix: refused signals go to `<rejected>.<gate>.<venue>.<symbol>`, a sample of them when there are many. `off`: they are only counted."},
		{"overrides", list[RiskOverride]{&r.Overrides, newRiskOverride, (*RiskOverride).keys, overridesMax}, "Other limits for some signals and instruments; the last that fits wins, key by key."},
	})
}

func (b *Budget) keys() []key {
	return []key{
		{"gross", number(&b.Gross, 0, 1e12), "Gate `exposure`: greatest sum of |position × price × multiplier|. `0`: any."},
		{"net", number(&b.Net, 0, 1e12), "Gate `exposure`: greatest |sum of position × price × multiplier|. `0`: any."},
		{"drawdown", number(&b.Drawdown, 0, 1e12), "Gate `drawdown`: greatest fall of profit and loss from its peak. Beyond it everything is withdrawn and stopped until an operator resumes. `0`: any."},
		{"day_loss", number(&b.DayLoss, 0, 1e12), "Gate `drawdown`: the same since the day began, at `session.reset` or midnight UTC. `0`: any."},
		{"fills_stale", duration(&b.FillsStale, 0, 24*time.Hour), "Gate `fills`: without news of fills for so long only what reduces a position passes, where a budget or `position` is set. `0`: never."},
	}
}

func (l *Latency) keys() []key {
	return []key{
		{"limit", duration(&l.Limit, 0, time.Hour), "Longest time from receipt to decision. `0`: any."},
		{"late", integer(&l.Late, 1, 1024), "So many decisions later than that make it stop what follows."},
		{"of", integer(&l.Of, 1, 1024), "Of the last so many decisions."},
		{"clean", integer(&l.Clean, 1, 1<<20), "So many in time in a row, refused ones counted, let signals pass again."},
	}
}

func (d *Deadman) keys() []key {
	return []key{
		{"after", duration(&d.After, 0, 24*time.Hour), "Longest silence of the supervisor. `0`: the gate is off."},
		{"subject", text(&d.Subject, "a NATS subject"), "Where its messages come; what is in them does not matter."},
	}
}

// riskRelations checks what single keys cannot say.
func (c *Config) riskRelations(r *report) {
	k := &c.Risk
	for at, subject := range map[string]string{"risk.fills": k.Fills, "risk.deadman.subject": k.Deadman.Subject} { // order-free: errors are sorted
		if wrong, hint := verifySubject(subject, true); subject != "" && wrong != "" {
			r.add(at, wrong, hint)
		}
	}
	if k.Deadman.Subject == "" {
		r.add("risk.deadman.subject", "is missing", "name the subject of the supervisor's messages")
	}
	if wrong, hint := verifySubject(k.Rejected, false); wrong != "" {
		r.add("risk.rejected", wrong, hint)
	}
	if k.Latency.Late > k.Latency.Of {
		r.add("risk.latency.late", "is more than risk.latency.of", "so many of the last so many")
	}
	needsFills := k.Budget.Gross > 0 || k.Budget.Net > 0 || k.Budget.Drawdown > 0 || k.Budget.DayLoss > 0 || k.Position > 0
	if needsFills && k.Fills == "" {
		r.add("risk.fills", "is missing", "a budget or a position limit needs the subject where fills come from")
	}
	for i := range k.Overrides {
		c.riskOverride(r, "risk.overrides["+strconv.Itoa(i)+"]", &k.Overrides[i])
	}
}

func (c *Config) riskOverride(r *report, at string, o *RiskOverride) {
	if len(o.Limits) == 0 {
		r.add(at+".limits", "is missing", "name the limits and their values")
	}
	for i, name := range o.Signals {
		if c.SignalIndex(name) < 0 {
			all := make([]string, len(c.Signals))
			for k := range c.Signals {
				all[k] = c.Signals[k].Name
			}
			hint := "no signal has this name"
			if near := nearest(name, all); near != "" {
				hint = "did you mean " + near + "?"
			}
			r.add(at+".signals["+strconv.Itoa(i)+"]", "names the unknown signal "+quote(name), hint)
		}
	}
	l := c.Risk.Limits
	for _, named := range o.Limits {
		path := at + ".limits." + named.Name
		if wrong, hint := l.set(named); wrong != "" {
			r.add(path, wrong, hint)
		}
		if len(o.Signals) > 0 && slices.Contains(ofInstrument, named.Name) {
			r.add(path, "belongs to the instrument", "leave out signals, or set it in an override of its own")
		}
		if named.Name == "position" && l.Position > 0 && c.Risk.Fills == "" {
			r.add("risk.fills", "is missing", "a position limit needs the subject where fills come from")
		}
	}
}
