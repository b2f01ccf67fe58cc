package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Validate checks every value and the relations between them. An error is of type Errors. A Config from Load has been checked.
func (c *Config) Validate() error {
	r := newReport(c.origins)
	c.validate(r)
	if len(r.errors) == 0 {
		return nil
	}
	r.errors.sort()
	return r.errors
}

func (c *Config) validate(r *report) {
	checkKeys(r, "", c.keys())
	if c.LateDrop > 0 && c.Clock != ClockExchange && !r.failed["clock"] {
		r.add("late_drop", "needs clock: exchange", "under clock: receive no tick is late; remove late_drop or set the clock")
	}
	c.NATS.relations(r)
	c.feedRelations(r)
	c.publishRelations(r)
	c.controlRelations(r)
	c.Session.relations(r)
	c.signalRelations(r)
	c.reachRelations(r)
	c.killRelations(r)
	c.riskRelations(r)
	if c.Engine.Lanes > c.Engine.InstrumentsMax && !r.failed["engine.instruments"] {
		r.add("engine.lanes", fmt.Sprintf("is %d, more than engine.instruments, %d", c.Engine.Lanes, c.Engine.InstrumentsMax), "a lane without instruments does nothing")
	}
	if j := c.Journal; j.RetainBytes > 0 && j.RetainBytes < 2*j.SegmentBytes && !r.failed["journal.segment"] {
		r.add("journal.retain", "is "+formatSize(j.RetainBytes)+", less than two segments of "+formatSize(j.SegmentBytes), "whole segments are deleted, never the one being written; set at least "+formatSize(2*j.SegmentBytes))
	}
}

func (n *NATS) relations(r *report) {
	checkServers(r, n.URL)
	ways := 0
	for _, given := range []string{n.CredsFile, n.NKeyFile, n.User} {
		if given != "" {
			ways++
		}
	}
	if ways > 1 {
		r.add("nats", "has more than one of creds, nkey and user", "keep one")
	}
	if n.User != "" && n.PasswordEnv == "" {
		r.add("nats.user", "needs password_env", "name the environment variable that holds the password")
	}
	if n.PasswordEnv != "" && n.User == "" {
		r.add("nats.password_env", "needs user", "add user, or remove it")
	}
	if n.TLS.CertFile != "" && n.TLS.KeyFile == "" {
		r.add("nats.tls.cert", "needs key", "name the file of the certificate's key")
	}
	if n.TLS.KeyFile != "" && n.TLS.CertFile == "" {
		r.add("nats.tls.key", "needs cert", "name the file of the key's certificate")
	}
}

func (c *Config) feedRelations(r *report) {
	for i := range c.Feeds {
		f := &c.Feeds[i]
		at := "feeds[" + strconv.Itoa(i) + "]"
		for j := range c.Feeds[:i] {
			if f.Name != "" && c.Feeds[j].Name == f.Name {
				r.add(at+".name", "is "+f.Name+", as is that of feeds["+strconv.Itoa(j)+"]", "names are unique")
			}
		}
		if wrong, hint := verifySubject(f.Subject, true); f.Subject != "" && wrong != "" {
			r.add(at+".subject", wrong, hint)
		}
		for j := range c.Feeds[:i] {
			other := "feeds[" + strconv.Itoa(j) + "]"
			if !r.failed[other+".subject"] && subjectsOverlap(c.Feeds[j].Subject, f.Subject) {
				r.add(at+".subject", "overlaps that of "+other+", "+c.Feeds[j].Subject, "a message would be taken twice; make the subjects distinct")
			}
		}
		if strings.ContainsAny(f.Queue, " \t*>") {
			r.add(at+".queue", "is "+strconv.Quote(f.Queue), "a queue group has no blanks, * or >")
		}
		if len(f.Venue) > venueBytesMax {
			r.add(at+".venue", "is longer than "+strconv.Itoa(venueBytesMax)+" bytes", "")
		}
		if f.Trades != TradesTrade && (f.Codec == CodecJSON || f.Codec == CodecBinary) {
			r.add(at+".trades", "needs a Binance codec", "remove it, or set codec to binance-spot or binance-usdm")
		}
		if f.RingTicks < c.Engine.BatchTicks && !r.failed["engine.batch"] {
			r.add(at+".ring", fmt.Sprintf("is %d, less than engine.batch, %d", f.RingTicks, c.Engine.BatchTicks), "a ring holds at least one batch")
		}
	}
}

func (c *Config) publishRelations(r *report) {
	if wrong, hint := verifySubject(c.Publish.Subject, false); wrong != "" {
		r.add("publish.subject", wrong, hint)
		return
	}
	if wrong, hint := verifySubject(c.Publish.Current, false); wrong != "" {
		r.add("publish.current", wrong, hint)
	}
	if len(c.Publish.Instance) > instanceBytesMax {
		r.add("publish.instance", fmt.Sprintf("is longer than %d bytes", instanceBytesMax), "")
	}
	for i := range c.Feeds {
		if subjectsOverlap(c.Feeds[i].Subject, c.Publish.Subject+".*.*.*") {
			r.add("feeds["+strconv.Itoa(i)+"].subject", "receives our own signals, "+c.Publish.Subject+".>", "make the subject narrower, or change publish.subject")
		}
	}
}

func (c *Config) signalRelations(r *report) {
	for i := range c.Signals {
		name := c.Signals[i].Name
		at := "signals[" + strconv.Itoa(i) + "].name"
		for j := range c.Signals[:i] {
			if name != "" && c.Signals[j].Name == name {
				r.add(at, "is "+name+", as is that of signals["+strconv.Itoa(j)+"]"+placeOf(r, "signals["+strconv.Itoa(j)+"].name"), "names are unique")
				break
			}
		}
	}
}

func placeOf(r *report, path string) string {
	o, ok := r.origins[path]
	if !ok {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", o.src.name, o.node.Line)
}

func (c *Config) killRelations(r *report) {
	names := make([]string, len(c.Signals))
	for i := range c.Signals {
		names[i] = c.Signals[i].Name
	}
	for i, k := range c.Risk.Kill {
		if k.Scope != KillSignal || c.SignalIndex(k.Signal) >= 0 {
			continue
		}
		hint := "no signal has this name"
		if near := nearest(k.Signal, names); near != "" {
			hint = "did you mean signal:" + near + "?"
		}
		r.add("risk.kill["+strconv.Itoa(i)+"]", "names the unknown signal "+strconv.Quote(k.Signal), hint)
	}
}

// SignalIndex returns a signal's place in Signals, -1 if there is none of that name.
func (c *Config) SignalIndex(name string) int {
	for i := range c.Signals {
		if c.Signals[i].Name == name {
			return i
		}
	}
	return -1
}
