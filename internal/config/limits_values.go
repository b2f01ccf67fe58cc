package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// scalarNode is a text as the parser of a value gets it.
func scalarNode(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

// number is a number that is not negative; pct and bp are hundredths and ten-thousandths.
func number(field *float64, least, most float64) *scalar {
	what := "a number, also with `pct` or `bp`"
	return &scalar{
		what: what, tag: numberTag,
		parse: func(n *yaml.Node) (string, string) {
			v, err := parseNumber(n.Value)
			if err != nil {
				return "is not a number", "write a number such as 0.05, 5pct or 20bp"
			}
			*field = v
			return "", ""
		},
		format: func() string { return strconv.FormatFloat(*field, 'g', -1, 64) },
		verify: func() (string, string) {
			if !(*field >= least && *field <= most) {
				return "is " + strconv.FormatFloat(*field, 'g', -1, 64), fmt.Sprintf("want %g to %g", least, most)
			}
			return "", ""
		},
	}
}

func parseNumber(text string) (float64, error) {
	divisor := 1.0
	for _, unit := range []struct {
		suffix string
		by     float64
	}{{"pct", 100}, {"bp", 10000}} {
		if rest, ok := strings.CutSuffix(text, unit.suffix); ok {
			text, divisor = strings.TrimSpace(rest), unit.by
			break
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsInf(v, 0) || math.IsNaN(v)) {
		err = strconv.ErrRange
	}
	return v / divisor, err
}

// formed is a text of a form that check judges; empty is allowed.
func formed[T ~string](field *T, what string, check func(string) error) *scalar {
	return &scalar{
		what: what, tag: "!!str",
		parse:  func(n *yaml.Node) (string, string) { *field = T(n.Value); return "", "" },
		format: func() string { return string(*field) },
		verify: func() (string, string) {
			if *field == "" {
				return "", ""
			}
			if err := check(string(*field)); err != nil {
				return "is " + quote(string(*field)), err.Error()
			}
			return "", ""
		},
	}
}

// Band is a text `LOW..HIGH` that bounds a price; empty is none.
type Band string

// Ends returns the two prices.
func (b Band) Ends() (low, high float64, err error) {
	first, second, ok := strings.Cut(string(b), "..")
	low, err1 := parseNumber(strings.TrimSpace(first))
	high, err2 := parseNumber(strings.TrimSpace(second))
	if !ok || err1 != nil || err2 != nil || low > high {
		return 0, 0, fmt.Errorf("want the lowest and the highest price, such as 90..110")
	}
	return low, high, nil
}

func band(field *Band) *scalar {
	return formed(field, "`LOW..HIGH`", func(text string) error { _, _, err := Band(text).Ends(); return err })
}

// Hours is a text `09:30-16:00 ZONE [mon-fri|mon,wed,…]` that says when an instrument trades; empty is always. Hours that end
// before they begin end on the next day; the days are those on which they begin.
type Hours string

// Plan is what Hours mean.
type Plan struct {
	Open, Close time.Duration // since midnight, as the clock on the wall says
	Zone        *time.Location
	Days        [7]bool // by time.Weekday
}

var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

var errHours = fmt.Errorf("want hours, a time zone and days, such as 09:30-16:00 America/New_York mon-fri")

// Plan reads the text.
func (h Hours) Plan() (p Plan, err error) {
	words := strings.Fields(string(h))
	if len(words) < 2 || len(words) > 3 {
		return p, errHours
	}
	from, to, ok := strings.Cut(words[0], "-")
	if p.Open, err = timeOfDay(from); err != nil || !ok {
		return p, errHours
	}
	if p.Close, err = timeOfDay(to); err != nil {
		return p, errHours
	}
	if p.Zone, err = (Session{Zone: words[1]}).Location(); err != nil {
		return p, err
	}
	if len(words) == 2 {
		p.Days = [7]bool{true, true, true, true, true, true, true}
		return p, nil
	}
	return p, p.days(words[2])
}

func (p *Plan) days(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		first, last, ranged := strings.Cut(part, "-")
		if !ranged {
			last = first
		}
		a, b := slices.Index(weekdays, first), slices.Index(weekdays, last)
		if a < 0 || b < 0 {
			return fmt.Errorf("want days such as mon-fri or mon,wed; %q is none", part)
		}
		for ; ; a = (a + 1) % 7 {
			p.Days[a] = true
			if a == b {
				break
			}
		}
	}
	return nil
}

// timeOfDay reads 09:30 or 09:30:00; 24:00 is the end of the day.
func timeOfDay(text string) (time.Duration, error) {
	if text == "24:00" {
		return 24 * time.Hour, nil
	}
	hour, minute, second, err := Session{Reset: text}.TimeOfDay()
	return time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second, err
}

func hours(field *Hours) *scalar {
	return formed(field, "`09:30-16:00 ZONE [DAYS]`", func(text string) error { _, err := Hours(text).Plan(); return err })
}

// Holidays are dates `2026-12-25`, separated by blanks.
type Holidays string

// Dates returns the dates as they were written.
func (h Holidays) Dates() ([]string, error) {
	dates := strings.Fields(string(h))
	for _, d := range dates {
		if _, err := time.Parse(time.DateOnly, d); err != nil {
			return nil, fmt.Errorf("want dates separated by blanks, such as 2026-12-25; %q is none", d)
		}
	}
	return dates, nil
}

func holidays(field *Holidays) *scalar {
	return formed(field, "dates", func(text string) error { _, err := Holidays(text).Dates(); return err })
}

// names is a list of signals' names.
type names struct{ field *[]string }

func (names) describe() string { return "a list of names of signals" }

func (v names) decode(d *decoder, path string, n *yaml.Node) {
	*v.field = nil
	words(d, path, n, v.describe(), func(text string) error {
		*v.field = append(*v.field, text)
		return nil
	})
}

func (v names) check(r *report, path string) {
	if len(*v.field) > SignalsMax {
		r.add(path, fmt.Sprintf("has more than %d entries", SignalsMax), "")
	}
	for i, name := range *v.field {
		if !signalName.MatchString(name) {
			r.add(path+"["+strconv.Itoa(i)+"]", "is "+quote(name), "want "+signalNameNote)
		}
	}
}

func (v names) encode() *yaml.Node {
	if len(*v.field) == 0 {
		return nil
	}
	return encodeWords(*v.field)
}
