package remotesigner

import (
	"errors"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// Config says where the keys of a network are: behind a program, or behind a server.
type Config struct {
	// Command is a program and its arguments. It is started for each signature, reads the question, and writes the answer.
	Command []string `yaml:"command"`
	// Env names the variables of this process given to the program, beside PATH, HOME and TMPDIR.
	Env []string `yaml:"env"`
	// URL is a server's address; the question is posted there.
	URL string `yaml:"url"`
	// TokenFile has the bearer token for the server. It is read for each question.
	TokenFile string `yaml:"token_file"`
}

var envForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Validate checks the settings. No signer is asked.
func (c Config) Validate() error {
	switch {
	case (len(c.Command) > 0) == (c.URL != ""):
		return errors.New("say either command or url")
	case len(c.Command) > 0 && c.Command[0] == "":
		return errors.New("command: [program, arguments…]")
	case len(c.Command) > 0 && c.TokenFile != "":
		return errors.New("token_file: only with url")
	case c.URL != "" && len(c.Env) > 0:
		return errors.New("env: only with command")
	case c.URL != "" && !private(c.URL):
		return errors.New("url: an https URL without a user, or http on the loopback interface")
	}
	for _, name := range c.Env {
		if !envForm.MatchString(name) {
			return errors.New("env: names of variables, as in [AWS_REGION]")
		}
	}
	return nil
}

// private reports whether nobody on the way reads what is posted to an address: whoever has the token can have anything signed.
func private(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

// within returns a path from a directory.
func within(dir, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// clean keeps the words of a signer harmless in a log line.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, strings.TrimSpace(text))
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:200]) + "…"
	}
	return text
}
