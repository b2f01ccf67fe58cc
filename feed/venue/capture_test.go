package venue

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/feed"
)

func TestCaptureReads(t *testing.T) {
	r := NewCaptureReader(strings.NewReader("1 {\"a\": 1}\n\n9223372036854775807 x\r\n0  y\n5 "))
	type line struct {
		ns      int64
		message string
		number  int
	}
	for _, want := range []line{{1, `{"a": 1}`, 1}, {1<<63 - 1, "x", 3}, {0, " y", 4}, {5, "", 5}} {
		ns, message, err := r.Next()
		if err != nil || (line{ns, string(message), r.Line()}) != want {
			t.Errorf("got %d %q %d %v, want %+v", ns, message, r.Line(), err, want)
		}
	}
	if _, _, err := r.Next(); err != io.EOF {
		t.Error(err)
	}
}

func TestCaptureErrors(t *testing.T) {
	for _, bad := range []string{"x", "{}", "-1 {}", "+1 {}", " 1 {}", "1{} x", "9223372036854775808 x", "1723161253937085768"} {
		r := NewCaptureReader(strings.NewReader("1 a\n" + bad + "\n2 b\n"))
		r.Next()
		_, _, err := r.Next()
		var at *CaptureError
		if !errors.As(err, &at) || at.Line != 2 || !errors.Is(err, ErrCaptureTime) || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v", bad, err)
		}
		if ns, message, err := r.Next(); ns != 2 || string(message) != "b" || err != nil {
			t.Errorf("%q: the line after it: %d %q %v", bad, ns, message, err)
		}
	}
}

func TestCaptureLongLines(t *testing.T) {
	longest := strings.Repeat("x", feed.MessageBytesMax)
	r := NewCaptureReader(strings.NewReader("1234567890123456789 " + longest + "\n1 " + longest + strings.Repeat("x", 100) + "\n"))
	if _, message, err := r.Next(); len(message) != feed.MessageBytesMax || err != nil {
		t.Errorf("%d bytes, %v", len(message), err)
	}
	if _, _, err := r.Next(); !errors.Is(err, ErrCaptureLong) || !strings.Contains(err.Error(), "line 2") {
		t.Error(err)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestCaptureReadError(t *testing.T) {
	if _, _, err := NewCaptureReader(brokenReader{}).Next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

func ExampleCaptureReader() {
	capture := `1723161255088169167 {"e":"bookTicker","u":5123107839020,"s":"BTCUSDT","b":"61800.20","B":"2.507","a":"61800.30","A":"2.510","T":1723161256313}
1723161255088176367 {"e":"trade","T":1723161256322,"s":"BTCUSDT","t":5266583935,"p":"61800.30","q":"0.006","X":"MARKET","m":false}
`
	decoder, err := NewBinance(USDM, feed.DecoderOptions{Symbols: feed.NewSymbols(100)})
	if err != nil {
		panic(err)
	}
	batch := feed.Batch{Ticks: make([]feed.Tick, 16)}
	reader := NewCaptureReader(strings.NewReader(capture))
	for {
		receiveNs, message, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			panic(err)
		}
		decoder.Decode(message, receiveNs, &batch)
	}
	for _, tick := range batch.Ticks[:batch.N] {
		fmt.Println(tick.Kind, tick.ReceiveNs, tick.F)
	}
	// Output:
	// quote 1723161255088169167 [61800.2 2.507 61800.3 2.51]
	// trade 1723161255088176367 [61800.3 0.006 1 0]
}
