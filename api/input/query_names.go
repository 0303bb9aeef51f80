package input

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"causeway/internal/web/openapi"
)

// Misspelt refuses a name equal to a parameter of the operation but for case, separators or brackets. A name resembling none is
// ignored (api-v1 §General conventions 5).
func (p *Parameters) Misspelt(known []openapi.Param) error {
	for sent := range p.First {
		if named(known, sent) {
			continue
		}
		for i := range known {
			if known[i].In == "" && resembles(sent, known[i].Name) {
				return WrongField(known[i].Name, "must be written "+known[i].Name+", not "+Cut(sent))
			}
		}
	}
	return nil
}

func named(known []openapi.Param, name string) bool {
	for i := range known {
		if known[i].In == "" && known[i].Name == name {
			return true
		}
	}
	return false
}

// resembles reports whether a name has the letters and digits of a known name, as a whole or in one of the parts between
// brackets: referenceId, reference-id, reference_id[], reference_id[0] and filter[reference_id] resemble reference_id.
func resembles(name, known string) bool {
	name = decodedAgain(name)
	if sameLetters(name, known) {
		return true
	}
	if !strings.ContainsAny(name, brackets) {
		return false
	}
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return strings.ContainsRune(brackets, r) }) {
		if sameLetters(part, known) {
			return true
		}
	}
	return false
}

const brackets = "[](){}"

// decodedAgain decodes a name percent-encoded more than once, up to twice more.
func decodedAgain(name string) string {
	for range 2 {
		if strings.IndexByte(name, '%') < 0 {
			break
		}
		name, _ = unescaped(name)
	}
	return name
}

// sameLetters compares the letters and digits of two names, in any case.
func sameLetters(a, b string) bool {
	for {
		var x, y rune
		if x, a = nextLetter(a); x >= 0 {
			y, b = nextLetter(b)
		} else {
			y, _ = nextLetter(b)
			return y < 0
		}
		if x != y {
			return false
		}
	}
}

// nextLetter returns the first letter or digit of a text in lower case, -1 when there is none, and the text after it.
func nextLetter(text string) (r rune, rest string) {
	for i, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r), text[i+utf8.RuneLen(r):]
		}
	}
	return -1, ""
}
