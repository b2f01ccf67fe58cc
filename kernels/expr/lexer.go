package expr

import (
	"fmt"
	"unicode/utf8"
)

// tokenKind is the kind of one token.
type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenNumber
	tokenName // also the keywords and or not true false
	tokenSymbol
	tokenText // with its quotes
)

// token is one word of the text; text is source[offset : offset+len(text)].
type token struct {
	kind   tokenKind
	offset int
	text   string
}

// symbols are the operators and brackets, longest first.
var symbols = [...]string{
	"<=", ">=", "==", "!=", "&&", "||",
	"<", ">", "+", "-", "*", "/", "(", ")", ",", "=", "!",
}

// strayHints say what was probably meant by a character the language does not have.
var strayHints = map[rune]string{
	'^':  "there is no power operator yet; write x * x for a square",
	'%':  "there is no remainder operator; write 2pct for two percent",
	'&':  "write and, or &&",
	'|':  "write or, or ||",
	'~':  "write not, or !",
	'?':  "write where(condition, a, b)",
	'[':  "there is no indexing; write prev(x, n) for an earlier value",
	'{':  "use ( and ) to group",
	'}':  "use ( and ) to group",
	'\'': "names have no quotes, venues and symbols double ones",
	'µ':  "write us for microseconds",
	'×':  "write * to multiply",
	'÷':  "write / to divide",
	'−':  "write - to subtract",
	'≤':  "write <=",
	'≥':  "write >=",
	'≠':  "write !=",
	';':  "one expression, without ;",
	'#':  "an expression has no comments",
}

// lex cuts the text into tokens, the last of them tokenEnd.
func lex(source string) ([]token, *Error) {
	tokens := make([]token, 0, 16+len(source)/3)
	for at := 0; at < len(source); {
		c := source[at]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			at++
		case isDigit(c) || c == '.' && at+1 < len(source) && isDigit(source[at+1]):
			end := scanNumber(source, at)
			tokens = append(tokens, token{tokenNumber, at, source[at:end]})
			at = end
		case isNameStart(c):
			end := scanName(source, at)
			tokens = append(tokens, token{tokenName, at, source[at:end]})
			at = end
		case c == '"':
			end, err := scanText(source, at)
			if err != nil {
				return nil, err
			}
			tokens = append(tokens, token{tokenText, at, source[at:end]})
			at = end
		default:
			symbol := matchSymbol(source[at:])
			if symbol == "" {
				return nil, strayCharacter(source, at)
			}
			tokens = append(tokens, token{tokenSymbol, at, symbol})
			at += len(symbol)
		}
	}
	return append(tokens, token{tokenEnd, len(source), ""}), nil
}

func isDigit(c byte) bool     { return c >= '0' && c <= '9' }
func isNameStart(c byte) bool { return c >= 'a' && c <= 'z' || c == '_' }
func isNamePart(c byte) bool  { return isNameStart(c) || isDigit(c) }

func scanName(source string, at int) int {
	for at < len(source) && isNamePart(source[at]) {
		at++
	}
	return at
}

// scanText passes over a piece of text in double quotes, which has no escapes: it ends at the next quote.
func scanText(source string, at int) (int, *Error) {
	for end := at + 1; end < len(source); {
		if source[end] == '"' {
			return end + 1, nil
		}
		r, size := utf8.DecodeRuneInString(source[end:])
		if r == utf8.RuneError && size == 1 {
			return 0, strayCharacter(source, end)
		}
		if r < ' ' || r == 0x7f {
			return 0, &Error{Offset: end, Length: size, Message: fmt.Sprintf("unexpected character %q in a text", r), Hint: `close the text with "`}
		}
		end += size
	}
	return 0, &Error{Offset: at, Length: len(source) - at, Message: "unclosed text", Hint: `add "`}
}

// scanNumber passes over digits, fraction, exponent and the letters of a unit.
func scanNumber(source string, at int) int {
	at = scanMantissa(source, at)
	return scanName(source, at)
}

// scanMantissa passes over digits, fraction and exponent. An 'e' without digits is no exponent.
func scanMantissa(source string, at int) int {
	at = scanDigits(source, at)
	if at < len(source) && source[at] == '.' {
		at = scanDigits(source, at+1)
	}
	if at < len(source) && source[at] == 'e' {
		exponent := at + 1
		if exponent < len(source) && (source[exponent] == '+' || source[exponent] == '-') {
			exponent++
		}
		if exponent < len(source) && isDigit(source[exponent]) {
			at = scanDigits(source, exponent)
		}
	}
	return at
}

func scanDigits(source string, at int) int {
	for at < len(source) && isDigit(source[at]) {
		at++
	}
	return at
}

func matchSymbol(rest string) string {
	for _, symbol := range symbols {
		if len(rest) >= len(symbol) && rest[:len(symbol)] == symbol {
			return symbol
		}
	}
	return ""
}

func strayCharacter(source string, at int) *Error {
	r, size := utf8.DecodeRuneInString(source[at:])
	if r == utf8.RuneError && size == 1 {
		return &Error{Offset: at, Length: 1, Message: fmt.Sprintf("byte 0x%02x is not valid UTF-8", source[at])}
	}
	hint := strayHints[r]
	if hint == "" && r >= 'A' && r <= 'Z' {
		hint = "names are lower case"
	}
	return &Error{Offset: at, Length: size, Message: fmt.Sprintf("unexpected character %q", r), Hint: hint}
}
