package control

import (
	"encoding/json"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/micro"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/natsconn"
	"github.com/sigengine/sigengine/risk"
)

// ServiceName is what nats micro lists.
const ServiceName = "sigengine"

// Engine is what the service needs of a running engine. Any goroutine calls it.
type Engine interface {
	Who() Who
	Status() Status
	Beat() Beat // without a number; cheap
	Command(engine.Command) error
	// InForce returns what is killed, reduced, latched and tightened, and a number that has grown when it was told anew.
	InForce() (risk.Latches, uint64)
	NowNs() int64
}

// Options describe a service.
type Options struct {
	Config     *config.Config
	Connection *natsconn.Connection
	Engine     Engine
	Log        *slog.Logger
	// Explain says how signals are computed, of all if names is empty. nil: nobody can say.
	Explain func(names []string) (string, error)
	// Journal is the run's folder, empty if there is none.
	Journal string
}

// Service answers operators and sends heartbeats until Stop.
type Service struct {
	options Options
	service micro.Service // nil: nobody may ask
	changes changes
	texts   texts
	stop    chan struct{}
	ended   sync.WaitGroup
}

// Serve begins to answer and to send heartbeats, each unless the configuration says off.
func Serve(options Options) (*Service, error) {
	s := &Service{options: options, stop: make(chan struct{})}
	if options.Config.Control.Subject != config.OffWord {
		if err := s.serve(); err != nil {
			return nil, err
		}
	}
	if options.Config.Control.Heartbeat != config.OffWord {
		s.ended.Go(s.beat)
	}
	return s, nil
}

// Stop ends the service with a last heartbeat. The connection stays open.
func (s *Service) Stop() {
	close(s.stop)
	s.ended.Wait()
	if s.service != nil {
		_ = s.service.Stop() // the connection closes next
	}
}

func (s *Service) serve() error {
	who, c := s.options.Engine.Who(), s.options.Config
	var err error
	s.service, err = s.options.Connection.Service(micro.Config{
		Name: ServiceName, Version: semantic(who.Build), Description: "trading signals of partition " + who.Partition,
		Metadata: map[string]string{
			"partition": who.Partition, "instance": who.Instance, "build": who.Build, "config_hash": who.ConfigHash,
		},
		StatsHandler: func(e *micro.Endpoint) any {
			if e.Name != VerbStatus {
				return nil
			}
			return s.options.Engine.Beat()
		},
		ErrorHandler: func(_ micro.Service, err *micro.NATSError) {
			s.options.Log.Warn("control: service", "subject", err.Subject, "error", err.Description)
		},
	})
	if err != nil {
		return err
	}
	prefix := c.Control.Subject
	of := func(rest string) string { return prefix + "." + c.Partition + "." + rest }
	for _, e := range []struct {
		name, subject string
		handle        func(micro.Request)
		shared        bool // one instance answers, any
	}{
		{VerbStatus, of(VerbStatus), s.status, false},
		{VerbKill, of(VerbKill + ".*"), s.kill, false},
		{"kill-all", prefix + "." + VerbKill + ".*", s.killAll, false},
		{VerbResume, of(VerbResume + ".*"), s.resume, false},
		{VerbLimits, of(VerbLimits), s.limits, false},
		{"limits-set", of(VerbLimits + ".*"), s.setLimit, false},
		{VerbConfig, of(VerbConfig), s.config, true},
		{VerbExplain, of(VerbExplain), s.explain, true},
	} {
		options := []micro.EndpointOpt{micro.WithEndpointSubject(e.subject)}
		if e.shared {
			options = append(options, micro.WithEndpointQueueGroup(queueGroup+c.Partition)) // any instance can tell
		} else {
			options = append(options, micro.WithEndpointQueueGroupDisabled())
		}
		if err := s.service.AddEndpoint(e.name, micro.HandlerFunc(e.handle), options...); err != nil {
			return errors.Join(err, s.service.Stop())
		}
	}
	if s.options.Connection.Connected() {
		_ = s.options.Connection.Flush(subscribed) // who starts the engine may ask at once; otherwise as soon as there is a server
	}
	return nil
}

// subscribed is how long a start waits for the server to know the endpoints.
const subscribed = time.Second

const queueGroup = "sigengine-"

var semanticVersion = regexp.MustCompile(`^v?([0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$`)

// semantic returns the version in a build line such as `sigengine v1.2.3 …`, and 0.0.0 for a build without one.
func semantic(build string) string {
	for _, field := range strings.Fields(build) {
		if found := semanticVersion.FindStringSubmatch(field); found != nil {
			return found[1]
		}
	}
	return "0.0.0"
}

// beat sends heartbeats.
func (s *Service) beat() {
	c := s.options.Config
	subject := BeatSubject(c.Control.Heartbeat, c.Partition, s.options.Engine.Who().Instance)
	ticker := time.NewTicker(c.Control.Beat)
	defer ticker.Stop()
	for number, ending := uint64(1), false; !ending; number++ {
		b := s.options.Engine.Beat()
		b.Number = number
		select {
		case <-s.stop:
			b.State, ending = Stopped, true
		default:
		}
		if text, err := json.Marshal(&b); err == nil {
			_ = s.options.Connection.Publish(subject, text) // silence says the same
		}
		if ending {
			_ = s.options.Connection.Flush(lastFlush) // likewise
			return
		}
		select {
		case <-ticker.C:
		case <-s.stop:
		}
	}
}

// lastFlush is how long the last heartbeat may take.
const lastFlush = 250 * time.Millisecond

// answer sends an answer; err, if not nil, in the way of services, with the same answer as its data.
func (s *Service) answer(r micro.Request, value any, err error) {
	text, encodeErr := json.Marshal(value)
	if encodeErr != nil { // the parts are our own, but a limit may be no number
		err, text = encodeErr, nil
	}
	if err == nil {
		err = r.Respond(text)
	} else {
		err = r.Error(codeOf(err), err.Error(), text)
	}
	if err != nil {
		s.options.Log.Debug("control: no answer", "subject", r.Subject(), "error", err) // who did not want one has none
	}
}

func (s *Service) status(r micro.Request) {
	status := s.options.Engine.Status()
	s.answer(r, &status, nil)
}

func (s *Service) config(r micro.Request) {
	s.answer(r, &ConfigAnswer{Who: s.options.Engine.Who(), Config: s.options.Config.String()}, nil)
}
