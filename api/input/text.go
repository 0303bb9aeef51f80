package input

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Within reports whether text has least to most characters (not bytes).
func Within(text string, least, most int) bool {
	if len(text) > most*utf8.UTFMax {
		return false
	}
	n := utf8.RuneCountInString(text)
	return n >= least && n <= most
}

// Spaceless reports whether text has no white space of any script.
func Spaceless(text string) bool { return strings.IndexFunc(text, unicode.IsSpace) < 0 }

// Only reports whether each byte of text is allowed.
func Only(text string, allowed func(byte) bool) bool {
	for i := range len(text) {
		if !allowed(text[i]) {
			return false
		}
	}
	return true
}

// Digit allows 0 to 9.
func Digit(c byte) bool { return c >= '0' && c <= '9' }

// WordCharacter allows the characters of nonces and request ids.
func WordCharacter(c byte) bool {
	return Digit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '-'
}

// Readable reports whether the database can hold text.
func Readable(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

// Clean makes text fit for a query: a NUL or broken UTF-8 would be an error of the database instead of "not found".
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r == 0 {
			return utf8.RuneError
		}
		return r // also for each byte outside a character
	}, text)
}

// Cut shortens a client's text to the length an error repeats.
func Cut(sent string) string {
	const longest = 60
	sent = Clean(sent)
	if runes := []rune(sent); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return sent
}
