package config

import (
	"strconv"
	"strings"
	"time"
)

// Loosen says who may loosen a limit that was tightened while running.
type Loosen string

// Who may loosen.
const (
	LoosenSteps  Loosen = "steps"  // who asked may confirm, in a second step
	LoosenPeople Loosen = "people" // another operator confirms
)

// Control says how operators speak to the engine, and how it tells that it lives.
type Control struct {
	Subject   string        // prefix of the control subjects; OffWord: nobody may ask or command
	Heartbeat string        // prefix of the heartbeats' subjects; OffWord: none
	Beat      time.Duration // between two heartbeats
	Loosen    Loosen
	Confirm   time.Duration // within this the second step comes
}

func (c *Control) keys() []key {
	return []key{
		{"subject", text(&c.Subject, "a subject without wildcards, or `off`"), "Prefix of the control subjects: `<subject>.<partition>.status` and others. Who may do what is the server's permissions on them. `off`: nobody may."},
		{"heartbeat", text(&c.Heartbeat, "a subject without wildcards, or `off`"), "Prefix: heartbeats go to `<heartbeat>.<partition>.<instance>`."},
		{"beat", duration(&c.Beat, 10*time.Millisecond, time.Minute), "Time between two heartbeats."},
		{"loosen", choice(&c.Loosen, LoosenSteps, LoosenPeople), "A limit that was tightened while running is loosened in two steps: by anyone who may, or the second by another operator than the first."},
		{"confirm", duration(&c.Confirm, time.Second, time.Hour), "The second step of loosening comes within this time."},
	}
}

func (c *Config) controlRelations(r *report) {
	for _, prefix := range []struct{ key, subject string }{
		{"control.subject", c.Control.Subject}, {"control.heartbeat", c.Control.Heartbeat},
	} {
		wrong, hint := verifySubject(prefix.subject, false)
		if wrong == "" && strings.HasPrefix(prefix.subject, "$") {
			wrong, hint = "begins with $", "those subjects are the server's own"
		}
		if wrong != "" {
			r.add(prefix.key, wrong, hint)
			continue
		}
		if prefix.subject == OffWord {
			continue
		}
		for i := range c.Feeds {
			if subjectsOverlap(c.Feeds[i].Subject, prefix.subject+".>") {
				r.add("feeds["+strconv.Itoa(i)+"].subject", "receives control messages, "+prefix.subject+".>", "make the subject narrower, or change "+prefix.key)
			}
		}
	}
}
