package input

import (
	"encoding/json"
	"unicode/utf8"
)

// The first byte of a JSON value tells its type; see leading.
const (
	IsObject = '{'
	isList   = '['
	isText   = '"'
)

// Leading returns the first byte of a JSON text after white space, 0 when there is none.
func Leading(raw []byte) byte {
	if raw = skipBlanks(raw); len(raw) > 0 {
		return raw[0]
	}
	return 0
}

// ObjectIn reads raw, a scanned body or a part of one, as an object. ok is false for every other type.
func ObjectIn(raw []byte) (o Object, ok bool) {
	if Leading(raw) != IsObject {
		return Object{}, false
	}
	o.text = raw
	o.fields, o.others = pick(raw)
	return o, true
}

// mostItems is where ListIn stops: more than any operation takes.
const mostItems = 64

// ListIn reads raw, a scanned body, as a list of raw values and returns the first of them, at most mostItems. ok is
// false for every other type.
func ListIn(raw []byte) (items []json.RawMessage, ok bool) {
	if Leading(raw) != isList {
		return nil, false
	}
	for m := membersOf(raw); len(items) < mostItems && m.next(); {
		items = append(items, m.value)
	}
	return items, true
}

// members walks the values of an object or a list found valid by ScanJSON. On anything else it may end early, but it
// ends.
type members struct {
	rest  []byte
	named bool
	name  []byte // with its quotes; nil in a list
	value []byte // never empty after next
}

func membersOf(raw []byte) members {
	raw = skipBlanks(raw)
	if len(raw) == 0 {
		return members{}
	}
	return members{rest: raw[1:], named: raw[0] == IsObject}
}

func (m *members) next() bool {
	m.skipPast(',')
	if m.named {
		if m.name = m.take(); len(m.name) < 2 {
			return false
		}
		m.skipPast(':')
	}
	m.value = m.take()
	return len(m.value) > 0
}

// skipPast drops white space and one separator, when it is there.
func (m *members) skipPast(separator byte) {
	if m.rest = skipBlanks(m.rest); len(m.rest) > 0 && m.rest[0] == separator {
		m.rest = skipBlanks(m.rest[1:])
	}
}

// take cuts off the value at the start of the rest; nothing at the end of the object or list.
func (m *members) take() []byte {
	n := valueLength(m.rest)
	value := m.rest[:n:n]
	m.rest = m.rest[n:]
	return value
}

// valueLength measures the value at the start of a valid text.
func valueLength(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	switch text[0] {
	case isText:
		return textLength(text)
	case IsObject, isList:
		return nestedLength(text)
	}
	for i, c := range text {
		switch c {
		case ',', ':', ']', '}', ' ', '\t', '\r', '\n':
			return i
		}
	}
	return len(text)
}

func textLength(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

func nestedLength(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case isText:
			i += textLength(text[i:]) - 1
		case IsObject, isList:
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

func skipBlanks(text []byte) []byte {
	for i, c := range text {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return text[i:]
		}
	}
	return nil
}

// sameName reports whether a quoted JSON name, escapes and all, is name.
func sameName(quoted []byte, name string) bool {
	text := quoted[1 : len(quoted)-1]
	for len(text) > 0 && len(name) > 0 {
		if text[0] != '\\' {
			if text[0] != name[0] {
				return false
			}
			text, name = text[1:], name[1:]
			continue
		}
		r, size := escape(text)
		want, width := utf8.DecodeRuneInString(name)
		if size == 0 || r != want {
			return false
		}
		text, name = text[size:], name[width:]
	}
	return len(text) == 0 && name == ""
}
