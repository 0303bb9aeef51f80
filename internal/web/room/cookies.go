package room

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Cookies are the cookies of a room. Behind TLS their names bind them to this host (__Host-), and elsewhere they go without. Those of
// a sandbox have names of their own: to a browser all ports of a host are one.
type Cookies struct{ Sandbox bool }

func (c Cookies) called(r *http.Request, name string) string {
	if c.Sandbox {
		name += "-sandbox"
	}
	if Secure(r) {
		name = "__Host-" + name
	}
	return name
}

// Set gives a browser a cookie for a time; an empty value takes it back.
func (c Cookies) Set(w http.ResponseWriter, r *http.Request, name, value string, lasts time.Duration) {
	k := &http.Cookie{Name: c.called(r, name), Value: value, Path: "/", HttpOnly: true, Secure: Secure(r), SameSite: http.SameSiteStrictMode,
		MaxAge: int(lasts.Seconds())}
	if value == "" {
		k.MaxAge = -1
	}
	http.SetCookie(w, k)
}

// Get returns a cookie; empty when there is none.
func (c Cookies) Get(r *http.Request, name string) string {
	k, err := r.Cookie(c.called(r, name))
	if err != nil {
		return ""
	}
	return k.Value
}

// SetFlash keeps the result of an act for the next page.
func (c Cookies) SetFlash(w http.ResponseWriter, r *http.Request, name string, f Flash) {
	c.Set(w, r, name, base64.RawURLEncoding.EncodeToString([]byte(f.Mood+"|"+f.Text)), time.Minute)
}

// TakeFlash returns the result of the last act, once.
func (c Cookies) TakeFlash(w http.ResponseWriter, r *http.Request, name string) *Flash {
	value := c.Get(r, name)
	if value == "" {
		return nil
	}
	c.Set(w, r, name, "", 0)
	text, err := base64.RawURLEncoding.DecodeString(value)
	mood, said, ok := strings.Cut(string(text), "|")
	if err != nil || !ok || mood != "good" && mood != "bad" {
		return nil
	}
	return &Flash{mood, said}
}

// Secure reports whether the browser came by TLS, here or at a proxy in front.
func Secure(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// Strictly tells a browser on TLS to come to this host by TLS alone for a year.
func Strictly(w http.ResponseWriter, r *http.Request) {
	if Secure(r) {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// HashOf returns the form in which a token is kept.
func HashOf(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// NewToken makes a token for a browser to be known again.
func NewToken() string {
	token := make([]byte, 32)
	_, _ = rand.Read(token) // never fails
	return base64.RawURLEncoding.EncodeToString(token)
}

// CSRFOf returns the token in every form of a login. It follows from the cookie, and no page can read the cookie.
func CSRFOf(token string) string {
	sum := hmac.New(sha256.New, []byte(token))
	sum.Write([]byte("csrf"))
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil))
}

// SameToken compares two tokens, and takes as long whatever they are.
func SameToken(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// Inside returns an address of ours, or else instead of it.
func Inside(address, instead string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host != "" || parsed.Scheme != "" || !strings.HasPrefix(address, "/") || strings.HasPrefix(address, "//") ||
		strings.ContainsAny(address, "\\\r\n") {
		return instead
	}
	return address
}
