package api

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"causeway/pay"
)

// reworded returns a refusal with another message: its code and details stay.
func reworded(e *pay.Error, message string) *pay.Error {
	out := *e
	out.Message = message
	return &out
}

// explained names the signature headers that are missing, and a timestamp of milliseconds.
func (s signed) explained(err error, names headerNames) error {
	switch {
	case errors.Is(err, errSignatureMissing):
		var missing []string
		for _, h := range []struct{ name, value string }{{names.signature, s.signature}, {names.timestamp, s.timestamp}, {names.nonce, s.nonce}} {
			if h.value == "" {
				missing = append(missing, h.name)
			}
		}
		return reworded(errSignatureMissing, "This key requires signed requests, and a header is missing or doubled: "+strings.Join(missing, ", ")+".")
	case errors.Is(err, errTimestampRange):
		const firstOfMilliseconds = 1e11 // as seconds it is the year 5138, as milliseconds 1973
		if sent, parsed := strconv.ParseInt(s.timestamp, 10, 64); parsed == nil && sent >= firstOfMilliseconds {
			return reworded(errTimestampRange, "The timestamp must be Unix seconds; "+s.timestamp+" looks like milliseconds.")
		}
	}
	return err
}

// otherBody says what a body is that is no JSON: compressed, marked with a byte order mark, or a form. It is empty for any other.
func otherBody(body []byte) string {
	switch {
	case bytes.HasPrefix(body, []byte{0x1f, 0x8b}):
		return "it is compressed by gzip, and must be sent as it is"
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return "it begins with a byte order mark (BOM), which JSON must not have"
	case isForm(body):
		return "it is a form (name=value), and must be JSON"
	}
	return ""
}

// isForm reports whether a body begins with a name of letters, digits and underscores, and an equals sign.
func isForm(body []byte) bool {
	const longest = 64
	name, _, found := bytes.Cut(body[:min(len(body), longest)], []byte("="))
	return found && len(name) > 0 && only(string(name), wordCharacter)
}
