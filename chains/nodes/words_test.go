package nodes

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestWords: a node's words forge no line of a log, turn no text around, and are no longer than they may be.
func TestWords(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"a b\nlevel=error\r\x1b[31m": "a b level=error  [31m",
		"\u202eabc\u2028d":           " abc d",
		"\xff\xfe!":                  "?!",
		"é…":                         "é…",
	} {
		if got := Words(said); got != want {
			t.Errorf("%q is kept as %q, want %q", said, got, want)
		}
	}
	if got := Words(strings.Repeat("é", 1000)); !utf8.ValidString(got) || len(got) > longestWords+len("…") || !strings.HasSuffix(got, "é…") {
		t.Errorf("%d bytes of long words: %q", len(got), got)
	}
}

// TestWordsOf: the address of a node is never told.
func TestWordsOf(t *testing.T) {
	t.Parallel()
	for _, err := range []error{errors.New("refused\nnow"), context.DeadlineExceeded} {
		got := WordsOf(&url.Error{Op: "Post", URL: "https://node/SECRET", Err: err})
		if got != "refused now" && got != "no answer in time" {
			t.Errorf("%q", got)
		}
	}
}
