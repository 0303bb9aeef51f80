package webhooks

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

// A failed try keeps the headers and the beginning of the body of its answer, as text fit for the database, without
// cookies and without the request's secrets. A successful try keeps nothing.
//
// Covers addendum §11: The headers of an answer
func TestAFailedTryKeepsItsAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status     int
		says, want string
	}{
		"500":                 {500, "no such order", "no such order"},
		"410":                 {410, "gone", "gone"},
		"302":                 {302, "elsewhere", "elsewhere"},
		"taken":               {200, "thank you", ""},
		"NUL and bad UTF-8":   {500, "a\x00b\xff\xfec", "a\ufffdb\ufffdc"},
		"too long":            {500, strings.Repeat("é", 40_000), strings.Repeat("é", 1024)},
		"long and no text":    {500, strings.Repeat("a\xff", 40_000), strings.Repeat("a\ufffd", 512)},
		"cut in a letter":     {500, "a" + strings.Repeat("é", 40_000), "a" + strings.Repeat("é", 1023)},
		"a secret":            {500, "by whsec_one", "by [removed]"},
		"a secret at the end": {500, strings.Repeat("a", 2040) + "whsec_one", strings.Repeat("a", 2040) + "[removed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, _ := receive(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-Trace", "42")
				w.Header().Set("X-Echo", r.Header.Get("X-Service-Signature"))
				w.Header().Set("Set-Cookie", "session=1")
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.says))
			})
			a := newTestClient(t, toLoopback).Send(t.Context(), Delivery{ID: "1", URL: url, Secrets: []string{"whsec_one", "whsec_two"}, Body: []byte("{}")})
			if a.AnswerBody != c.want {
				t.Errorf("the body is %q", a.AnswerBody)
			}
			kept := strings.Contains(a.AnswerHead, "X-Trace: 42\n") && strings.Contains(a.AnswerHead, "X-Echo: [removed],[removed]\n")
			if kept == (c.status == 200) || strings.Contains(a.AnswerHead, "session") || c.status == 200 && a.AnswerHead != "" {
				t.Errorf("the head is %q", a.AnswerHead)
			}
			if text := a.AnswerHead + a.AnswerBody; !utf8.ValidString(text) || len(text) > 2*maxKept || strings.Contains(text, "\x00") {
				t.Errorf("what is kept is %q", text)
			}
		})
	}
}
