package control

import (
	"fmt"
	"strings"

	"github.com/sigengine/sigengine/signal"
)

// The verbs, which are tokens of subjects and names of endpoints.
const (
	VerbStatus  = "status"
	VerbKill    = "kill"
	VerbResume  = "resume"
	VerbLimits  = "limits"
	VerbConfig  = "config"
	VerbExplain = "explain"
)

// ReadSubject is where a partition answers what changes nothing.
func ReadSubject(prefix, partition, verb string) string {
	return prefix + "." + partition + "." + verb
}

// OrderSubject is where an operator changes something.
func OrderSubject(prefix, partition, verb, operator string) (string, error) {
	token, err := operatorToken(operator)
	return prefix + "." + partition + "." + verb + "." + token, err
}

// KillAllSubject is where an operator kills everything in all partitions.
func KillAllSubject(prefix, operator string) (string, error) {
	token, err := operatorToken(operator)
	return prefix + "." + VerbKill + "." + token, err
}

// BeatSubject is where an instance's heartbeats go.
func BeatSubject(prefix, partition, instance string) string {
	return prefix + "." + partition + "." + string(signal.AppendEscaped(nil, instance))
}

// operatorBytesMax bounds an operator's name.
const operatorBytesMax = 64

func operatorToken(operator string) (string, error) {
	if operator == "" || len(operator) > operatorBytesMax {
		return "", fmt.Errorf("control: an operator's name has 1 to %d bytes, not %d", operatorBytesMax, len(operator))
	}
	return signal.Escape(operator)
}

// operatorOf returns who gave a command: the last token of its subject, which the server let that login publish on.
func operatorOf(subject string) string {
	token := subject[strings.LastIndexByte(subject, '.')+1:]
	name, err := signal.Unescape(token)
	if err != nil || len(name) > operatorBytesMax {
		return token[:min(len(token), operatorBytesMax)]
	}
	return name
}
