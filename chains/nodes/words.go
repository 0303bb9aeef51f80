package nodes

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"unicode"
)

// longestWords is the most of a node's words that is kept, in bytes.
const longestWords = 200

// Words cuts a node's words, and takes out what could forge a line of a log.
func Words(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	if len(text) > longestWords {
		text = strings.ToValidUTF8(text[:longestWords], "") + "…"
	}
	return text
}

// WordsOf says why a request to a node failed. The node's address is left out, since it may hold a key.
func WordsOf(err error) string {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time"
	}
	return Words(err.Error())
}
