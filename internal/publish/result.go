package publish

// Result says what became of a decided signal. Values are part of the journal: append only, never reuse.
type Result uint8

// The results.
const (
	Published         Result = 0 // handed to the transport
	ErrorDisconnected Result = 1 // there is no connection at the moment
	ErrorOther        Result = 2 // the transport or the encoder refused
	QueueFull         Result = 3 // a queue on the way out was full
	Expired           Result = 4 // it had waited longer than it was valid

	// ResultCount is how many results there are.
	ResultCount = 5
)

var resultNames = [ResultCount]string{"published", "error_disconnected", "error_other", "queue_full", "expired"}

// String returns the result as counters and listings spell it.
func (r Result) String() string {
	if int(r) < len(resultNames) {
		return resultNames[r]
	}
	return "unknown"
}
