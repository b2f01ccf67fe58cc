package bench

import (
	"fmt"
	"math"
	"strings"
)

// The plot of the crossover: ticks at once against the p50 of the last row, both in powers of ten.
const (
	plotWidth, plotHeight = 720, 420
	plotLeft, plotRight   = 60, 190
	plotTop, plotBottom   = 20, 50
)

// plotted are lines of the plot.
type plotted struct {
	name, colour, dash string
	x, y               []float64
}

// CrossoverSVG draws the crossover's medians at 1,024 instruments.
func (g *GPUResult) CrossoverSVG() string {
	var lines []plotted
	colours := map[int]string{6: "#1f77b4", 20: "#d62728"}
	for _, signals := range []int{6, 20} {
		cpu := plotted{name: fmt.Sprintf("%d signals, CPU", signals), colour: colours[signals], dash: "6 4"}
		device := plotted{name: fmt.Sprintf("%d signals, GPU", signals), colour: colours[signals]}
		for i := range g.Crossover {
			if c := &g.Crossover[i]; c.Signals == signals && c.Instruments == gpuUniverse && c.CPUP50 > 0 && c.GPUP50 > 0 {
				cpu.x, cpu.y = append(cpu.x, float64(c.Batch)), append(cpu.y, c.CPUP50)
				device.x, device.y = append(device.x, float64(c.Batch)), append(device.y, c.GPUP50)
			}
		}
		if len(cpu.x) > 0 {
			lines = append(lines, cpu, device)
		}
	}
	return drawSVG(lines, "ticks at once", "last row, p50, us")
}

func drawSVG(lines []plotted, across, up string) string {
	minX, maxX, minY, maxY := 1.0, 10.0, 1.0, 10.0
	for i := range lines {
		for k := range lines[i].x {
			maxX = max(maxX, lines[i].x[k])
			minY, maxY = min(minY, lines[i].y[k]), max(maxY, lines[i].y[k])
		}
	}
	minY, maxY = math.Pow10(int(math.Floor(math.Log10(minY)))), math.Pow10(int(math.Ceil(math.Log10(maxY))))
	const width, height = plotWidth - plotLeft - plotRight, plotHeight - plotTop - plotBottom
	x := func(v float64) float64 { return plotLeft + width*math.Log10(v/minX)/math.Log10(maxX/minX) }
	y := func(v float64) float64 { return plotTop + height - height*math.Log10(v/minY)/math.Log10(maxY/minY) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", plotWidth, plotHeight)
	for v := minY; v <= maxY*1.001; v *= 10 {
		fmt.Fprintf(&b, `<path d="M%d %.1fh%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%g</text>`+"\n",
			plotLeft, y(v), width, plotLeft-6, y(v)+4, v)
	}
	for _, v := range []float64{1, 8, 32, 128, 1024} {
		if v <= maxX {
			fmt.Fprintf(&b, `<path d="M%.1f %dv%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%g</text>`+"\n",
				x(v), plotTop, height, x(v), plotTop+height+18, v)
		}
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", plotLeft+width/2, plotHeight-10, across)
	fmt.Fprintf(&b, `<text transform="translate(16 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n", plotTop+height/2, up)
	for i, l := range lines {
		var path strings.Builder
		for k := range l.x {
			fmt.Fprintf(&path, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[k == 0], x(l.x[k]), y(l.y[k]))
		}
		at := plotTop + 16 + 20*i
		fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="%s" stroke-width="2" stroke-dasharray="%s"/>`+"\n", path.String(), l.colour, l.dash)
		fmt.Fprintf(&b, `<path d="M%d %dh24" stroke="%s" stroke-width="2" stroke-dasharray="%s"/><text x="%d" y="%d">%s</text>`+"\n",
			plotLeft+width+12, at, l.colour, l.dash, plotLeft+width+42, at+4, l.name)
	}
	b.WriteString("</svg>\n")
	return b.String()
}
