package webhooks

import (
	"net/http"
	"strings"
	"unicode/utf8"
)

const (
	maxKept    = 2 << 10                // bytes kept of an answer's headers, and of its body
	readOfBody = maxKept + 512          // keeps a character or a secret at the end whole
	removed    = "[removed]"            // stands for a secret
	notText    = string(utf8.RuneError) // stands for unreadable bytes
)

// keep notes in a try the receiver's answer, so a person can find out why it did not take the webhook. Both are texts fit
// for the database. Secrets of ours that the answer repeats, and cookies, are not kept.
func keep(a *Attempt, header http.Header, body []byte, secrets []string) {
	var lines strings.Builder
	_ = header.WriteSubset(&lines, map[string]bool{"Set-Cookie": true}) // a builder takes everything
	a.AnswerHead = kept(strings.ReplaceAll(lines.String(), "\r\n", "\n"), secrets)
	a.AnswerBody = kept(string(body), secrets)
}

// kept is the beginning of a text without NUL, bad UTF-8 and secrets.
func kept(text string, secrets []string) string {
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, removed)
		}
	}
	text = strings.ReplaceAll(strings.ToValidUTF8(text, notText), "\x00", notText)
	if len(text) <= maxKept {
		return text
	}
	return strings.ToValidUTF8(text[:maxKept], "")
}
