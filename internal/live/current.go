package live

import (
	"encoding/json"
	"sync"

	"github.com/sigengine/sigengine/signal"
)

// current keeps the last decided signal of every pair, for who asks after the fact. It is a sink on the desk's goroutine;
// answers are made on another, a few pairs at a time, so that the desk never waits for a whole one.
type current struct {
	partition string
	mutex     sync.Mutex // held for one record by the desk, for pairsAtOnce by an answer
	last      []signal.Body
	engineNs  int64 // of the last signal decided
}

// pairsAtOnce is how many records an answer copies before it lets the desk go on.
const pairsAtOnce = 64

// answerBytesMax keeps an answer below what a server takes as a message (1 MiB unless set otherwise).
const answerBytesMax = 512 << 10

// Emit keeps a copy.
func (c *current) Emit(pair uint32, body *signal.Body, _ int64) uint8 {
	c.mutex.Lock()
	for int(pair) >= len(c.last) {
		c.last = append(c.last, signal.Body{})
	}
	c.last[pair] = *body
	c.engineNs = body.EngineNs
	c.mutex.Unlock()
	return 0
}

// Prepare makes room, so that Emit need not.
func (c *current) Prepare(pair uint32, _, _, _ string) {
	c.mutex.Lock()
	for int(pair) >= len(c.last) {
		c.last = append(c.last, signal.Body{})
	}
	c.mutex.Unlock()
}

// CurrentRequest says what to tell. The zero value asks for all.
type CurrentRequest struct {
	Signal string `json:"signal"` // empty: any
	Venue  string `json:"venue"`
	Symbol string `json:"symbol"`
	After  uint64 `json:"after,string"` // Next of an answer before that had more
}

// CurrentAnswer is what was decided last, of every signal on every instrument that the last decided leaves open: an enter
// or update, which has not expired. Each record is the last of its subject; they are not of one moment.
type CurrentAnswer struct {
	Partition string            `json:"partition"`
	EngineNs  int64             `json:"engine_ns,string"` // of the last signal decided
	Signals   []json.RawMessage `json:"signals"`          // as published, without a trailer
	Next      uint64            `json:"next,string"`      // not 0: there are more, ask again after this
	Error     string            `json:"error,omitempty"`
}

// answer answers a request, whose empty text asks for all.
func (c *current) answer(request []byte) []byte {
	var r CurrentRequest
	a := CurrentAnswer{Partition: c.partition, Signals: []json.RawMessage{}}
	if len(request) > 0 {
		if err := json.Unmarshal(request, &r); err != nil {
			a.Error = "the request is not JSON such as {\"signal\":\"\",\"venue\":\"\",\"symbol\":\"\",\"after\":\"0\"}"
		}
	}
	if a.Error == "" {
		c.collect(&r, &a)
	}
	text, err := json.Marshal(&a)
	if err != nil {
		return []byte(`{"error":"the answer cannot be written"}`) // its parts are our own
	}
	return text
}

func (c *current) collect(r *CurrentRequest, a *CurrentAnswer) {
	var some [pairsAtOnce]signal.Body
	bytes := 0
	for at := r.After; ; at += pairsAtOnce {
		c.mutex.Lock()
		n := 0
		if at < uint64(len(c.last)) {
			n = copy(some[:], c.last[at:])
		}
		a.EngineNs = c.engineNs
		c.mutex.Unlock()
		if n == 0 {
			return
		}
		for i := range some[:n] {
			if !r.wants(&some[i], a.EngineNs) {
				continue
			}
			record := signal.AppendJSON(nil, &some[i], nil)
			if bytes += len(record); bytes > answerBytesMax {
				a.Next = at + uint64(i)
				return
			}
			a.Signals = append(a.Signals, record)
		}
	}
}

func (r *CurrentRequest) wants(b *signal.Body, nowNs int64) bool {
	if b.Action != signal.ActionEnter && b.Action != signal.ActionUpdate || b.ValidUntilNs > 0 && nowNs > b.ValidUntilNs {
		return false
	}
	return (r.Signal == "" || r.Signal == b.Signal) && (r.Venue == "" || r.Venue == b.Venue) && (r.Symbol == "" || r.Symbol == b.Symbol)
}
