package feed

// Limit is the second value of a KindControl tick with ControlTighten: which limit of the risk gates an operator tightens
// while the engine runs. The third value is the limit from now on, in the unit of the name; 0 leaves it as configured.
type Limit uint8

// The limits. Values are part of the journal: append only, never reuse.
const (
	LimitStale     Limit = 1 // seconds
	LimitValue     Limit = 2 // greatest absolute value
	LimitSpread    Limit = 3 // a part of the middle
	LimitCollar    Limit = 4 // a part of the reference
	LimitVelocity  Limit = 5 // a part of the price
	LimitRate      Limit = 6 // a second, of an instrument
	LimitRateTotal Limit = 7 // a second, of all
	LimitPosition  Limit = 8 // units of the instrument
	LimitGross     Limit = 9 // money
	LimitNet       Limit = 10

	LimitCount = 11
)

var limitNames = [LimitCount]string{
	"none", "stale", "value_max", "spread", "collar", "velocity", "rate", "rate_total", "position", "gross", "net",
}

// String returns the limit's name, which is its key in a configuration.
func (l Limit) String() string {
	if int(l) < len(limitNames) {
		return limitNames[l]
	}
	return "unknown"
}

// ParseLimit returns the limit of a name.
func ParseLimit(name string) (Limit, bool) {
	for l := Limit(1); l < LimitCount; l++ {
		if limitNames[l] == name {
			return l, true
		}
	}
	return 0, false
}
