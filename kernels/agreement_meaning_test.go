package kernels

import (
	"fmt"
	"strings"
)

// talibMeaning says what a row of TA-Lib's tests is in the language.
func talibMeaning(file string, r talibRow) talibCase {
	c := talibFunction(file, r)
	if r.text("compatibility") == "TA_COMPATIBILITY_METASTOCK" && file != "test_macd.c" {
		c.fromFirst()
	}
	switch code := r.text("expectedRetCode"); {
	case code != "TA_SUCCESS":
		c.texts, c.why = nil, "checks that the C function refuses its arguments"
	}
	return c
}

// fromFirst makes averages start with the first value of all, as in Metastock mode.
func (c *talibCase) fromFirst() {
	for i, text := range c.texts {
		if n := 0; strings.HasPrefix(text, "dema(") {
			fmt.Sscanf(text, "dema(close, %d)", &n)
			text = fmt.Sprintf("2 * ema(close, %d) - ema(ema(close, %d), %d)", n, n, n)
			c.why = "with an unstable period TA-Lib seeds the second average that much later"
		} else if strings.HasPrefix(text, "tema(") {
			fmt.Sscanf(text, "tema(close, %d)", &n)
			one := fmt.Sprintf("ema(close, %d)", n)
			two := fmt.Sprintf("ema(%s, %d)", one, n)
			text = fmt.Sprintf("3 * %s - 3 * %s + ema(%s, %d)", one, two, two, n)
		}
		c.texts[i] = strings.ReplaceAll(text, "ema(", "ema_first(")
		c.whole = c.whole || c.texts[i] != text
	}
	if c.whole {
		c.name += ", Metastock mode"
	}
}

func talibFunction(file string, r talibRow) talibCase {
	switch file {
	case "test_1in_1out.c", "test_1in_2out.c":
		if r.text("theFunction") == "TA_SIN_TEST" {
			return talibCase{name: "SIN", why: "the language has no sine"}
		}
		return talibCase{name: "HT_*", why: "no Hilbert transform in the catalogue"}
	case "test_adx.c":
		return talibADX(r)
	case "test_bbands.c":
		return talibBands(r)
	case "test_ma.c":
		return talibAverage(r)
	case "test_macd.c":
		return talibMACD(r)
	case "test_po.c":
		return talibPriceOscillator(r)
	case "test_stoch.c":
		return talibStochastic(r)
	case "test_rsi.c":
		return talibRSI(r)
	case "test_sar.c":
		return talibSAR(r)
	case "test_stddev.c":
		return talibCase{
			name: "STDDEV", texts: []string{fmt.Sprintf("%v * std(close, %d)", r.number("optInNbDeviation_1"), r.n())},
			why: "one value is given as 1.075 for 1.0715, which is 1.5 times a value that agrees",
		}
	case "test_trange.c":
		if r.count("doAverage") == 0 {
			return talibCase{name: "TRANGE", texts: []string{"tr(high, low, close)"}}
		}
		return talibCase{name: "ATR", texts: []string{fmt.Sprintf("atr(high, low, close, %d)", r.n())}}
	}
	return talibSimple(r)
}

// talibSimple are the functions that are one operator each.
func talibSimple(r talibRow) talibCase {
	n, name := r.n(), r.text("theFunction")
	name = name[len("TA_") : len(name)-len("_TEST")]
	one, two, three := r.count("optInTimePeriod1"), r.count("optInTimePeriod2"), r.count("optInTimePeriod3")
	form, why := "", ""
	switch name {
	case "MOM":
		form = fmt.Sprintf("diff(close, %d)", n)
	case "ROC":
		form = fmt.Sprintf("roc(close, %d)", n)
	case "ROCR":
		form = fmt.Sprintf("close / prev(close, %d)", n)
	case "ROCR100":
		form = fmt.Sprintf("100 * close / prev(close, %d)", n)
	case "TRIX":
		form = fmt.Sprintf("trix(close, %d)", n)
		why = "the file has the same call twice with different values; the second is of Metastock mode, which seeds averages with the first value"
	case "BETA":
		form, why = fmt.Sprintf("beta(low, high, %d)", n), "one value is given as 0.62907 for 0.62971; the next one agrees"
	case "CORREL":
		form = fmt.Sprintf("corr(high, low, %d)", n)
	case "AROON_UP":
		form = fmt.Sprintf("aroon_up(high, %d)", n)
	case "AROON_DOWN":
		form = fmt.Sprintf("aroon_down(low, %d)", n)
	case "AROONOSC":
		form = fmt.Sprintf("aroon_osc(high, low, %d)", n)
	case "NATR":
		form = fmt.Sprintf("natr(high, low, close, %d)", one)
	case "ULTOSC":
		form = fmt.Sprintf("ultimate(high, low, close, %d, %d, %d)", one, two, three)
	case "WILLR":
		form = fmt.Sprintf("williams_r(high, low, close, %d)", one)
	case "CCI":
		form, why = fmt.Sprintf("cci(high, low, close, %d)", one), "0 there where nothing deviates, undefined here"
	case "AD":
		form = "adl(high, low, close, volume)"
	case "ADOSC_3_10":
		form = "ema_first(adl(high, low, close, volume), 3) - ema_first(adl(high, low, close, volume), 10)"
	case "ADOSC_5_2":
		form = "ema_first(adl(high, low, close, volume), 5) - ema_first(adl(high, low, close, volume), 2)"
	case "MFI":
		form = fmt.Sprintf("mfi(high, low, close, volume, %d)", n)
	case "AVGPRICE":
		form = "(open + high + low + close) / 4"
	case "BOP":
		form = "(close - open) / (high - low)"
	default:
		return talibCase{name: name, why: "no operator"}
	}
	return talibCase{name: name, texts: []string{form}, why: why}
}

func talibADX(r talibRow) talibCase {
	n, name := r.n(), r.text("id")[len("TST_"):]
	c := talibCase{name: name, rounded: true, why: whyRounded}
	form := ""
	switch name {
	case "PLUS_DM", "MINUS_DM":
		return talibMovement(name, n)
	case "PLUS_DI":
		form = fmt.Sprintf("di_plus(high, low, close, %d, talib=1)", n)
	case "MINUS_DI":
		form = fmt.Sprintf("di_minus(high, low, close, %d, talib=1)", n)
	case "DX":
		form = fmt.Sprintf("dx(high, low, close, %d, talib=1)", n)
	case "ADX":
		form = fmt.Sprintf("adx(high, low, close, %d, talib=1)", n)
	case "ADXR":
		form = fmt.Sprintf("(adx(high, low, close, %d, talib=1) + prev(adx(high, low, close, %d, talib=1), %d)) / 2", n, n, n-1)
	}
	if n == 1 {
		form += " / 100" // of period 1 TA-Lib gives the ratio
	}
	c.texts = []string{form}
	return c
}

// talibMovement is Wilder's sum of directional movement, which is di times the sum of the true range.
func talibMovement(name string, n int) talibCase {
	rise, fall := "high - prev(high)", "prev(low) - low"
	if name == "MINUS_DM" {
		rise, fall = fall, rise
	}
	movement := fmt.Sprintf("where(%s > %s and %s > 0, %s, 0)", rise, fall, rise, rise)
	if n == 1 {
		return talibCase{name: name, texts: []string{movement}}
	}
	return talibCase{
		name: name, texts: []string{fmt.Sprintf("%d * smma(%s, %d)", n, movement, n)},
		why: "TA-Lib seeds the sum with n - 1 bars, smma has n; they grow together",
	}
}

func talibBands(r talibRow) talibCase {
	n, up, down := r.n(), r.number("optInNbDevUp"), r.number("optInNbDevDn")
	if r.text("optInMethod_3") == "TA_MAType_SMA" {
		return talibCase{name: "BBANDS (SMA)", texts: []string{
			fmt.Sprintf("bb_upper(close, %d, %v)", n, up), fmt.Sprintf("sma(close, %d)", n), fmt.Sprintf("bb_lower(close, %d, %v)", n, down),
		}}
	}
	return talibCase{name: "BBANDS (EMA)", texts: []string{
		fmt.Sprintf("ema(close, %d) + %v * std(close, %d)", n, up, n), fmt.Sprintf("ema(close, %d)", n),
		fmt.Sprintf("ema(close, %d) - %v * std(close, %d)", n, down, n),
	}}
}

func talibAverage(r talibRow) talibCase {
	n, kind := r.n(), r.text("optInMAType_1")[len("TA_MAType_"):]
	form := ""
	switch kind {
	case "SMA", "EMA", "WMA", "DEMA", "TEMA", "TRIMA":
		form = fmt.Sprintf("%s(close, %d)", map[string]string{
			"SMA": "sma", "EMA": "ema", "WMA": "wma", "DEMA": "dema", "TEMA": "tema", "TRIMA": "trima",
		}[kind], n)
	case "KAMA":
		form = fmt.Sprintf("kama(close, %d)", n)
	case "T3":
		form = fmt.Sprintf("t3(close, %d, 0.7)", n)
	default:
		return talibCase{name: "MAMA, FAMA", why: "adaptive by the Hilbert transform, which is not in the catalogue"}
	}
	return talibCase{name: "MA (" + kind + ")", texts: []string{form}}
}

func talibMACD(r talibRow) talibCase {
	fast, slow, signal := r.count("optInFastPeriod"), r.count("optInSlowPeriod"), r.count("optInSignalPeriod_2")
	c := talibCase{name: r.text("testId")[len("TA_") : len(r.text("testId"))-len("_TEST")]}
	if c.name == "MACDFIX" {
		c.why = "MACDFIX has constants 0.15 and 0.075 for 2/13 and 2/27, and Metastock's seed"
	}
	fast, slow = min(fast, slow), max(fast, slow)
	// A value counts once all outputs have begun, so the line is looked at where the signal begins.
	c.texts = []string{
		fmt.Sprintf("macd_hist(close, %d, %d, %d, together=1) + macd_signal(close, %d, %d, %d, together=1)", fast, slow, signal, fast, slow, signal),
		fmt.Sprintf("macd_signal(close, %d, %d, %d, together=1)", fast, slow, signal),
		fmt.Sprintf("macd_hist(close, %d, %d, %d, together=1)", fast, slow, signal),
	}
	return c
}

func talibPriceOscillator(r talibRow) talibCase {
	fast, slow := r.count("optInFastPeriod"), r.count("optInSlowPeriod")
	fast, slow = min(fast, slow), max(fast, slow)
	average, name := "sma", "APO"
	if r.text("optInMethod_2") == "TA_MAType_EMA" {
		average = "ema"
	}
	form := fmt.Sprintf("%s(close, %d) - %s(close, %d)", average, fast, average, slow)
	if r.count("doPercentage") != 0 {
		name, form = "PPO", fmt.Sprintf("100 * (%s) / %s(close, %d)", form, average, slow)
	}
	return talibCase{name: name + " (" + map[string]string{"sma": "SMA", "ema": "EMA"}[average] + ")", texts: []string{form}}
}

func talibStochastic(r talibRow) talibCase {
	a, b, d := r.count("optInPeriod_0"), r.count("optInPeriod_1"), r.count("optInPeriod_2")
	if r.text("testId") == "TEST_STOCHRSI" {
		rsi := fmt.Sprintf("rsi(close, %d)", a)
		k := fmt.Sprintf("stoch_k(%s, %s, %s, %d)", rsi, rsi, rsi, b)
		slow := fmt.Sprintf("stoch_d(%s, %s, %s, %d, 1, %d)", rsi, rsi, rsi, b, d)
		return talibCase{name: "STOCHRSI", texts: []string{k + " + 0 * " + slow, slow}}
	}
	k := fmt.Sprintf("stoch_k(high, low, close, %d, %d)", a, b)
	slow := fmt.Sprintf("stoch_d(high, low, close, %d, %d, %d)", a, b, d)
	return talibCase{name: "STOCH", texts: []string{k + " + 0 * " + slow, slow}}
}

func talibRSI(r talibRow) talibCase {
	why := ""
	if r.text("compatibility") == "TA_COMPATIBILITY_METASTOCK" {
		why = "in Metastock mode the first value comes one bar early, from n - 1 changes"
	}
	if r.text("theFunction") == "TA_CMO_TEST" {
		return talibCase{name: "CMO", texts: []string{fmt.Sprintf("2 * rsi(close, %d) - 100", r.n())}, why: why}
	}
	return talibCase{name: "RSI", texts: []string{fmt.Sprintf("rsi(close, %d)", r.n())}, why: why}
}

func talibSAR(r talibRow) talibCase {
	return talibCase{
		name: "SAR", texts: []string{fmt.Sprintf("psar(high, low, %v, %v)", r.number("optInAcceleration"), r.number("optInMaximum"))},
		wilder: r.count("useWilderData") != 0,
	}
}

// wilderBars is the worked example of the parabolic in Wilder (1978).
var wilderBars = map[string][]float64{
	"high": {
		51.12, 52.35, 52.1, 51.8, 52.1, 52.5, 52.8, 52.5, 53.5, 53.5, 53.8, 54.2, 53.4, 53.5, 54.4, 55.2, 55.7, 57, 57.5,
		58, 57.7, 58, 57.5, 57, 56.7, 57.5, 56.7, 56, 56.2, 54.8, 55.5, 54.7, 54, 52.5, 51, 51.5, 51.7, 53,
	},
	"low": {
		50, 51.5, 51, 50.5, 51.25, 51.7, 51.85, 51.5, 52.3, 52.5, 53, 53.5, 52.5, 52.1, 53, 54, 55, 56, 56.5,
		57, 56.5, 57.3, 56.7, 56.3, 56.2, 56, 55.5, 55, 54.9, 54, 54.5, 53.8, 53, 51.5, 50, 50.5, 50.2, 51.5,
	},
}
