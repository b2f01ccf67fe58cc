package kernels

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/internal/testdata"
)

const agreementPage = "../docs/agreement.md"

const agreementHead = `# Agreement with others

The operators of the [language](language.md), compared with what other implementations computed from the same bars. This
page is written by a test (` + "`go test ./kernels -run TestAgreementPage -update`" + `), which fails where a value that should agree does
not, and where this page is out of date.

*Largest difference* is relative to the value and at least to 1. Recursions (averages, Wilder's averages, running totals) agree
to the bit wherever the convention is the same. Sums over a window are built in another order there and agree to 1e-12.

| origin | compared | matched | differ by convention | not covered |
|---|---|---|---|---|
`

// TestAgreementPage keeps the page equal to what is measured.
func TestAgreementPage(t *testing.T) {
	testdata.Shared(t, "skender")
	var b strings.Builder
	b.WriteString(agreementHead)
	skender, lean := skenderRows(t), leanRows(t)
	names, groups := talibGroups(t)
	totals(&b, "Skender, columns", skender)
	totals(&b, "TA-Lib, rows", talibTotals(names, groups))
	totals(&b, "LEAN, columns", lean)
	const columns = "| column | expression | result | largest difference |\n|---|---|---|---|\n"
	b.WriteString("\n## Skender\n\nDaveSkender/Stock.Indicators, 502 daily bars of SPY; `bar` is the bar's number from 1, `other_close` a second symbol's close.\n\n" + columns)
	lines(&b, skender)
	b.WriteString("\n## LEAN\n\nThird-party values that QuantConnect/Lean tests against, given to 4 to 15 digits, from the row on which the window is full. Var is good to 1e-10: it drifts as it rolls.\n\n" + columns)
	lines(&b, lean)
	b.WriteString("\n## TA-Lib\n\nTA-Lib's regression tests over 252 daily bars. Values are given to 1 to 7 digits: a row matches if it is within 5e-5 or 1.5 units\n" +
		"of its last digit (a half where whole numbers are given), and begins where TA-Lib's does. The expression is that of most rows, which differ in their\n" +
		"periods. Where averages have a long memory TA-Lib starts them as many bars before the range as it looks back, and in Metastock mode with the first\n" +
		"bar; so does the comparison. SAR is over the bars of Wilder's book.\n\n")
	b.WriteString("| function | expression | rows | matched | differ | not covered | largest difference | why |\n|---|---|---|---|---|---|---|---|\n")
	for _, name := range names {
		b.WriteString(groups[name].line(name))
	}
	golden(t, agreementPage, b.String())
}

func totals(b *strings.Builder, origin string, rows []agreementRow) {
	var sum agreementRow
	for _, r := range rows {
		sum.matched, sum.differ, sum.uncovered = sum.matched+r.matched, sum.differ+r.differ, sum.uncovered+r.uncovered
	}
	fmt.Fprintf(b, "| %s | %d | %d | %d | %d |\n", origin, sum.matched+sum.differ+sum.uncovered, sum.matched, sum.differ, sum.uncovered)
}

func talibTotals(names []string, groups map[string]*talibGroup) []agreementRow {
	var rows []agreementRow
	for _, name := range names {
		g := groups[name]
		rows = append(rows, agreementRow{matched: g.matched, differ: g.differ, uncovered: g.uncovered})
	}
	return rows
}

func lines(b *strings.Builder, rows []agreementRow) {
	for _, r := range rows {
		b.WriteString(r.line + "\n")
	}
}

func (g *talibGroup) line(name string) string {
	texts, worst := "-", "-"
	if len(g.texts) > 0 {
		texts = "`" + strings.Join(g.texts, "`, `") + "`"
	}
	if g.matched > 0 {
		worst = fmt.Sprintf("%.1e", g.worst)
	}
	return fmt.Sprintf("| %s | %s | %d | %d | %d | %d | %s | %s |\n",
		name, texts, g.rows, g.matched, g.differ, g.uncovered, worst, strings.Join(g.why, "; "))
}
