// Package mailserver is a mail server for tests. It speaks SMTP by a library that real servers are built on, and keeps what it takes.
package mailserver

import (
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/mail"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Taken is a mail that the server has answered for, or has taken and not answered for.
type Taken struct {
	From, To string // of the envelope
	Header   mail.Header
	Raw      string
}

// Server is a mail server. Its fields may be set before the first mail.
type Server struct {
	User, Password string           // demanded of each client, if set
	Refuse         map[string]error // by receiver, such as Gone
	Full           error            // the answer to each text, if set
	Lose           int              // so many mails are taken, and the connection ends before the answer

	address string
	mu      sync.Mutex
	taken   []Taken
}

// The answers of mail servers.
var (
	Gone  = &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user here"}
	Later = &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 2}, Message: "try again later"}
)

// Start starts a server on the loopback interface, until the test ends. With a certificate it offers STARTTLS.
func Start(t testing.TB, certificate *tls.Certificate) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // of a test
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{address: listener.Addr().String(), Refuse: map[string]error{}}
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) { return s.session(c), nil }))
	server.Domain, server.ErrorLog = "mail.test", log.New(t.Output(), "", 0)
	server.AllowInsecureAuth = certificate == nil
	if certificate != nil {
		server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*certificate}, MinVersion: tls.VersionTLS12}
	}
	ended := make(chan struct{})
	go func() { _ = server.Serve(listener); close(ended) }()
	t.Cleanup(func() { _ = server.Close(); <-ended })
	return s
}

// Host and Port are where the server listens.
func (s *Server) Host() string { host, _, _ := net.SplitHostPort(s.address); return host }

// Port is where the server listens on Host.
func (s *Server) Port() int {
	_, port, _ := net.SplitHostPort(s.address)
	n, _ := strconv.Atoi(port)
	return n
}

// Mails are those that were taken, in their order.
func (s *Server) Mails() []Taken {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Taken{}, s.taken...)
}

// session is one connection.
type session struct {
	*Server
	conn     *smtp.Conn
	known    bool
	from, to string
}

func (s *Server) session(c *smtp.Conn) *session {
	return &session{Server: s, conn: c, known: s.User == ""}
}

// Reset implements smtp.Session.
func (s *session) Reset() { s.from, s.to = "", "" }

// Logout implements smtp.Session.
func (s *session) Logout() error { return nil }

// AuthMechanisms implements smtp.AuthSession.
func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

// Auth implements smtp.AuthSession.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if s.known = user == s.User && password == s.Password; !s.known {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}

// Mail implements smtp.Session.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if !s.known {
		return smtp.ErrAuthRequired
	}
	s.from = from
	return nil
}

// Rcpt implements smtp.Session.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Refuse[to]
}

// Data implements smtp.Session.
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Full != nil {
		return s.Full
	}
	m, err := mail.ReadMessage(strings.NewReader(string(raw)))
	if err != nil {
		return &smtp.SMTPError{Code: 554, EnhancedCode: smtp.EnhancedCode{5, 6, 0}, Message: "this is no mail"}
	}
	s.taken = append(s.taken, Taken{s.from, s.to, m.Header, string(raw)})
	if s.Lose > 0 {
		s.Lose--
		_ = s.conn.Conn().Close()
		return errors.New("the connection was ended")
	}
	return nil
}

// Set changes the server while it runs.
func (s *Server) Set(change func(*Server)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}
