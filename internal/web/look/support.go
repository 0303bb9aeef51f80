package look

import (
	"net/mail"
	"net/url"
	"strings"
)

const longestSupport = 254

// IsSupport reports whether a text is an address to ask at, or none: one bare e-mail address, or a page by https.
func IsSupport(text string) bool {
	if text == "" {
		return true
	}
	if len(text) > longestSupport || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return false
	}
	if strings.Contains(text, "://") {
		u, err := url.Parse(text)
		return err == nil && u.Scheme == "https" && u.Hostname() != "" && u.User == nil
	}
	address, err := mail.ParseAddress(text)
	return err == nil && address.Name == "" && address.Address == text && !strings.ContainsAny(text, "?&%")
}
