package input

import (
	"sync"
	"unicode/utf8"

	"causeway/internal/pay"
)

// MaxBody is the largest accepted body, in bytes (addendum §4.10).
const MaxBody = 1 << 20

// maxDepth is how deep objects and lists may be nested (addendum §4.10).
const maxDepth = 32

// ScanJSON refuses a body two readers could understand differently: invalid JSON, trailing text, a key twice in one
// object (also when only its case differs), nesting deeper than maxDepth, NUL, bad UTF-8, lone surrogates, a BOM. One
// pass, linear in the length of any body; it keeps nothing.
func ScanJSON(body []byte) error {
	s := scanners.Get().(*scanner)
	defer s.release()
	s.begin(body)
	if problem := s.run(); problem != "" {
		if other := otherBody(body); other != "" {
			problem = other
		}
		return pay.E(pay.Invalid, "json_parse_exception", "The body is not acceptable JSON: "+problem+".")
	}
	return nil
}

var scanners = sync.Pool{New: func() any { return newScanner() }}

// The next things the scanner may meet.
type expectation byte

const (
	wantValue    expectation = iota
	wantValueEnd             // the first value of a list, or its end
	wantKey
	wantKeyEnd // the first key of an object, or its end
	wantNext   // a comma or the end of the object or list
)

type level struct {
	object uint32 // number of the object open here; 0 in a list
	before int    // how many keys were kept when it was opened
}

type scanner struct {
	body    []byte
	at      int
	depth   int
	levels  [maxDepth]level
	objects uint32 // how many were opened
	keys    keySet
	folded  []byte // the key at hand, as keys are compared
}

func newScanner() *scanner { return &scanner{keys: newKeySet()} }

func (s *scanner) begin(body []byte) {
	s.body, s.at, s.depth, s.objects = body, 0, 0, 0
	s.keys.forget(0)
}

func (s *scanner) release() {
	s.body = nil
	if s.keys.large() || cap(s.folded) > 4096 {
		return // left to the collector: one hostile body must not cost memory for ever
	}
	scanners.Put(s)
}

func (s *scanner) run() (problem string) {
	if len(s.body) > MaxBody { // positions would not fit the table of keys
		return "it is too long"
	}
	want := wantValue
	for {
		s.blanks()
		if s.at == len(s.body) {
			return "it ends too early"
		}
		if want, problem = s.step(want); problem != "" {
			return problem
		}
		if want == wantNext && s.depth == 0 {
			s.blanks()
			if s.at < len(s.body) {
				return "text after its end"
			}
			return ""
		}
	}
}

// step reads one value, opening, key with its colon, comma or closing.
func (s *scanner) step(want expectation) (next expectation, problem string) {
	c := s.body[s.at]
	switch {
	case want == wantNext:
		return s.comma(c)
	case c == '}' && want == wantKeyEnd, c == ']' && want == wantValueEnd:
		s.at++
		s.leave()
		return wantNext, ""
	case want == wantKey, want == wantKeyEnd:
		return wantValue, s.key()
	case c == '{':
		s.objects++
		return wantKeyEnd, s.open(s.objects)
	case c == '[':
		return wantValueEnd, s.open(0)
	default:
		return wantNext, s.scalar(c)
	}
}

func (s *scanner) open(object uint32) (problem string) {
	if s.depth == maxDepth {
		return "it is nested too deeply"
	}
	s.levels[s.depth] = level{object, len(s.keys.taken)}
	s.depth++
	s.at++
	return ""
}

// leave closes the object or list; its keys are no longer needed.
func (s *scanner) leave() {
	s.depth--
	s.keys.forget(s.levels[s.depth].before)
}

func (s *scanner) comma(c byte) (next expectation, problem string) {
	inObject := s.levels[s.depth-1].object != 0
	s.at++
	switch {
	case c == ',' && inObject:
		return wantKey, ""
	case c == ',':
		return wantValue, ""
	case c == '}' && inObject, c == ']' && !inObject:
		s.leave()
		return wantNext, ""
	default:
		return wantNext, "a comma or an end is missing"
	}
}

func (s *scanner) key() (problem string) {
	if s.body[s.at] != '"' {
		return "a key is not a string"
	}
	start := s.at
	if problem = s.text(); problem != "" {
		return problem
	}
	s.folded = fold(s.folded[:0], s.body[start+1:])
	if !s.keys.add(s, s.levels[s.depth-1].object, start+1) {
		return "a key stands twice in one object"
	}
	s.blanks()
	if s.at == len(s.body) || s.body[s.at] != ':' {
		return "a colon is missing"
	}
	s.at++
	return ""
}

func (s *scanner) scalar(c byte) (problem string) {
	switch {
	case c == '"':
		return s.text()
	case c == '-', c >= '0' && c <= '9':
		return s.number()
	case c == 't':
		return s.word("true")
	case c == 'f':
		return s.word("false")
	case c == 'n':
		return s.word("null")
	default:
		return "a value is missing or unreadable"
	}
}

func (s *scanner) word(word string) (problem string) {
	if len(s.body)-s.at < len(word) || string(s.body[s.at:s.at+len(word)]) != word {
		return "a value is missing or unreadable"
	}
	s.at += len(word)
	return ""
}

func (s *scanner) blanks() {
	for s.at < len(s.body) {
		switch s.body[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

func (s *scanner) number() (problem string) {
	if s.body[s.at] == '-' {
		s.at++
	}
	switch {
	case s.at < len(s.body) && s.body[s.at] == '0':
		s.at++
	case s.digits() == 0:
		return "a number is malformed"
	}
	if s.at < len(s.body) && s.body[s.at] == '.' {
		s.at++
		if s.digits() == 0 {
			return "a number is malformed"
		}
	}
	if s.at < len(s.body) && s.body[s.at]|0x20 == 'e' {
		s.at++
		if s.at < len(s.body) && (s.body[s.at] == '+' || s.body[s.at] == '-') {
			s.at++
		}
		if s.digits() == 0 {
			return "a number is malformed"
		}
	}
	return ""
}

func (s *scanner) digits() (n int) {
	for s.at < len(s.body) && s.body[s.at] >= '0' && s.body[s.at] <= '9' {
		s.at++
		n++
	}
	return n
}

// text reads a string from its opening to behind its closing quote.
func (s *scanner) text() (problem string) {
	s.at++
	for s.at < len(s.body) {
		switch c := s.body[s.at]; {
		case c == '"':
			s.at++
			return ""
		case c == '\\':
			r, size := escape(s.body[s.at:])
			if size == 0 || r == 0 {
				return "a string has a wrong escape"
			}
			s.at += size
		case c < 0x20:
			return "a string has a control character"
		case c < utf8.RuneSelf:
			s.at++
		default:
			r, size := utf8.DecodeRune(s.body[s.at:])
			if r == utf8.RuneError && size == 1 {
				return "a string is not UTF-8"
			}
			s.at += size
		}
	}
	return "it ends too early"
}
