package kernels

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// liveFields writes an expression over bars as one over trades.
var liveFields = strings.NewReplacer("high", "(price + size)", "low", "(price - size)", "close", "price", "volume", "size")

// TestTechnicalOperatorsHold runs operators over trades with quotes between them: on the trades they give what they give
// over a table of the trades alone, to the bit, and on the quotes they hold it.
func TestTechnicalOperatorsHold(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	rows := &refRows{}
	var slots []slot
	var trade []int // of each slot, the last trade
	slots, trade = append(slots, quoteTick(9, 1, 11, 1)), append(trade, -1)
	for i := range 150 {
		price, size := 20+math.Round(8*r.NormFloat64())/4, float64(1+r.IntN(6))/4
		rows.high, rows.low = append(rows.high, price+size), append(rows.low, price-size)
		rows.close, rows.volume = append(rows.close, price), append(rows.volume, size)
		slots, trade = append(slots, tradeTick(price, size, 1)), append(trade, i)
		for range r.IntN(4) {
			slots, trade = append(slots, quoteTick(9+r.Float64(), 1, 11, 1)), append(trade, i)
		}
	}
	rows.open, rows.gaps = rows.close, make([]bool, rows.count())
	for _, o := range technicalOperators() {
		for _, c := range technicalCases[o.Name] {
			want := rows.over(t, tableOver(t, c.text), 64)[0]
			// mid is fresh on quotes, and mid - mid is 0.
			got := runValue(t, watch(replaceFields(c.text)+" + (mid - mid)"), slots, 7)
			for i, x := range got {
				expected := math.NaN()
				if trade[i] >= 0 {
					expected = want[trade[i]]
				}
				if isDefined(expected) && x == notFresh {
					t.Fatalf("%s: slot %d was not evaluated", c.text, i)
				}
				if x != notFresh && (isDefined(x) != isDefined(expected) || isDefined(x) && x != expected) {
					t.Fatalf("%s: slot %d, trade %d: %v, want %v", c.text, i, trade[i], x, expected)
				}
			}
		}
	}
}

// replaceFields leaves the operator's name alone, which may hold a field's.
func replaceFields(text string) string {
	name, arguments, _ := strings.Cut(text, "(")
	return name + "(" + liveFields.Replace(arguments)
}
