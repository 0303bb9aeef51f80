package message

import (
	"errors"
	"net"
	"net/mail"
	"net/url"
	"strconv"
)

// Server is the mail server that messages are handed to.
type Server struct {
	Host           string
	Port           int
	User, Password string // both empty = no login
	Implicit       bool   // TLS from the first byte; else by STARTTLS
	Loopback       bool   // of this machine: TLS is not required
}

var errServer = errors.New("not an address like smtp://user:password@mail.example.com:587, or smtps://…:465 for TLS from the first byte")

// The ports of mail servers without one in their address.
const (
	submission  = 587
	submissions = 465
)

// ParseServer reads the address of a mail server. Its error shows nothing of the address: it may hold a password.
func ParseServer(text string) (*Server, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" ||
		u.Fragment != "" || u.Opaque != "" {
		return nil, errServer
	}
	s := &Server{Host: u.Hostname(), Port: submission, User: u.User.Username(), Implicit: u.Scheme == "smtps", Loopback: loopback(u.Hostname())}
	s.Password, _ = u.User.Password()
	if s.Implicit {
		s.Port = submissions
	}
	if p := u.Port(); p != "" {
		if s.Port, err = strconv.Atoi(p); err != nil || s.Port < 1 || s.Port > 65535 {
			return nil, errServer
		}
	}
	if (s.User == "") != (s.Password == "") {
		return nil, errServer
	}
	return s, nil
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// ParseSender reads the sender of mails, as in "Example Pay <pay@example.com>".
func ParseSender(text string) (*mail.Address, error) {
	a, err := mail.ParseAddress(text)
	if err != nil {
		return nil, errors.New("not an address like pay@example.com, or Example Pay <pay@example.com>")
	}
	return a, nil
}
