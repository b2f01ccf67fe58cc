package simulate

import (
	"encoding/binary"
	"fmt"

	"github.com/sigengine/sigengine/feed"
)

// payload is the bytes of a message and, where it is bad on purpose, what the decoder must make of it.
type payload struct {
	bytes   []byte
	verdict feed.Reject // of the message; RejectNone: it is good
	tick    feed.Reject // of one tick in it; RejectNone: none
	unknown bool        // corrupted at random: no one can say what it has become
}

// badJSON are messages that a JSON decoder must reject, each for its own reason.
var badJSON = []payload{
	{bytes: []byte(`not json`), verdict: feed.RejectMalformed},
	{bytes: []byte(`"text"`), verdict: feed.RejectWrongType},
	{bytes: []byte("{\"type\":\"trade\",\"venue\":\"\xff\",\"symbol\":\"s\",\"price\":1,\"size\":1}"), verdict: feed.RejectBadUTF8},
	{bytes: []byte(`{"type":"quote","venue":"v","symbol":"s"}`), verdict: feed.RejectMissingField},
	{bytes: []byte(`{"type":"trade","venue":"v","symbol":"s","price":1,"price":2,"size":1}`), verdict: feed.RejectDuplicateField},
	{bytes: []byte(`{"type":"rumour","venue":"v","symbol":"s"}`), verdict: feed.RejectUnknownKind},
	{bytes: []byte(`{"type":"fill","venue":"v","symbol":"s"}`), verdict: feed.RejectUnsupportedKind},
	{bytes: []byte(`{"type":"trade","venue":"v","symbol":"s","price":1,"size":-1}`), verdict: feed.RejectBadSize},
	{bytes: []byte(`{"type":"trade","venue":"v","symbol":"s","price":1e999,"size":1}`), verdict: feed.RejectNotFinite},
	{bytes: []byte(`{"type":"trade","venue":"v","symbol":"s","price":1,"size":1,"side":"up"}`), verdict: feed.RejectBadSide},
	{bytes: []byte(`{"type":"status","venue":"v","symbol":"s","status":"asleep"}`), verdict: feed.RejectBadStatus},
}

// badBinary are frames that a binary decoder must reject.
var badBinary = []payload{
	{bytes: nil, verdict: feed.RejectTruncated},
	{bytes: []byte("SGB1"), verdict: feed.RejectTruncated},
	{bytes: frame("SGBX", 1, 0, 0), verdict: feed.RejectMalformed},
	{bytes: frame("SGB1", 2, 0, 0), verdict: feed.RejectBadVersion},
	{bytes: frame("SGB1", 1, 1, 0), verdict: feed.RejectTruncated},
	{bytes: frame("SGB1", 1, 0, 10), verdict: feed.RejectTruncated},
	{bytes: append(frame("SGB1", 1, 0, 0), 0), verdict: feed.RejectMalformed},
}

// frame is the header of a binary frame.
func frame(magic string, version byte, definitions uint16, ticks uint32) []byte {
	p := append([]byte(magic), version, 0)
	p = binary.LittleEndian.AppendUint16(p, definitions)
	p = binary.LittleEndian.AppendUint32(p, ticks)
	return append(p, make([]byte, 12)...)
}

// event is a message of several ticks that belong together: a level of the book and the quote that completes it. A
// broken one has something in the middle that is rejected, so that the decoder must put a Gap in its place.
func event(exchangeNs int64, symbol feed.Symbol, broken bool) payload {
	p := payload{}
	head := fmt.Sprintf(`"ts":%d,"venue":%q,"symbol":%q`, exchangeNs, symbol.Venue, symbol.Name)
	p.bytes = fmt.Appendf(nil, `[{"type":"quote",%s,"bid":99,"bid_size":3,"ask":101,"ask_size":1,"more":true},`, head)
	if broken {
		p.bytes = fmt.Appendf(p.bytes, `{"type":"trade",%s,"price":1,"size":-1},`, head)
		p.tick = feed.RejectBadSize
	}
	p.bytes = fmt.Appendf(p.bytes, `{"type":"depth",%s,"side":"bid","level":2,"price":98,"size":1}]`, head)
	return p
}

// corrupt flips bits or cuts the end off.
func corrupt(c chance, p []byte) payload {
	p = append([]byte(nil), p...)
	if len(p) > 0 && c.coin() {
		p = p[:c.below(len(p))]
	}
	for range c.between(1, 3) {
		if len(p) > 0 {
			p[c.below(len(p))] ^= 1 << c.below(8)
		}
	}
	return payload{bytes: p, unknown: true}
}
