package control

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/nats-io/nats.go/micro"
)

// texts are explanations that were given: making one measures warm-up on a made-up market, which need not happen twice.
type texts struct {
	mutex sync.Mutex
	known map[string]string // by signal, empty for all
}

// explain says how a signal is computed. What became of one at a tick needs the journal's run once more, which is not done
// beside a live engine: the answer says what to run.
func (s *Service) explain(r micro.Request) {
	var q Question
	a := Explanation{Who: s.options.Engine.Who()}
	var err error
	if len(r.Data()) > 0 {
		err = decode(r.Data(), &q)
	}
	c := s.options.Config
	switch {
	case err != nil:
	case q.Signal != "" && c.SignalIndex(q.Signal) < 0:
		err = fmt.Errorf("%w: signal %q", ErrUnknown, q.Signal)
	case q.Seq > 0 && s.options.Journal == "":
		err = errors.New("control: this run keeps no journal, so what happened cannot be shown again; set journal.dir")
	case q.Seq > 0:
		a.Command = strings.TrimSpace(fmt.Sprintf("sigengine explain %s --at %d %s", s.options.Journal, q.Seq, q.Signal))
	default:
		a.Text, err = s.explainText(q.Signal)
	}
	if err != nil {
		a.Error = err.Error()
	}
	s.answer(r, &a, err)
}

func (s *Service) explainText(signal string) (string, error) {
	if s.options.Explain == nil {
		return "", errors.New("control: this run does not explain; sigengine explain -c FILE does")
	}
	s.texts.mutex.Lock()
	defer s.texts.mutex.Unlock()
	if text, ok := s.texts.known[signal]; ok {
		return text, nil
	}
	var names []string
	if signal != "" {
		names = []string{signal}
	}
	text, err := s.options.Explain(names)
	if err == nil {
		if s.texts.known == nil {
			s.texts.known = map[string]string{}
		}
		s.texts.known[signal] = text
	}
	return text, err
}
