package input

import (
	"net/url"
	"strings"

	"causeway/internal/pay"
)

// Parameters are those of a request's query: the first value of each name, the names with an undecodable value, and the
// names given twice.
type Parameters struct {
	First      map[string]string
	Unreadable map[string]bool
	Twice      map[string]bool
}

// ReadParameters splits a query at & alone: ; is part of a value (addendum §13). Where the percent-encoding is broken
// the value stands as it was sent.
func ReadParameters(raw string) *Parameters {
	p := &Parameters{First: map[string]string{}}
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		sent, value, _ := strings.Cut(part, "=")
		name, _ := unescaped(sent)
		text, ok := unescaped(value)
		if !ok {
			p.Unreadable = including(p.Unreadable, name)
		}
		if _, given := p.First[name]; given {
			p.Twice = including(p.Twice, name)
			continue
		}
		p.First[name] = text
	}
	return p
}

// including adds a name to a set, and creates the set if it is nil.
func including(set map[string]bool, name string) map[string]bool {
	if set == nil {
		set = map[string]bool{}
	}
	set[name] = true
	return set
}

func unescaped(sent string) (text string, ok bool) {
	text, err := url.QueryUnescape(sent)
	if err != nil {
		return sent, false
	}
	return text, Readable(text)
}

// NotEncoded is the fault of a parameter with broken percent-encoding.
const NotEncoded = "is not percent-encoded as a URL must be, in UTF-8 and without NUL"

// Unreadable is the refusal of such a parameter.
func Unreadable(name string) *pay.Error { return WrongField(name, NotEncoded) }
