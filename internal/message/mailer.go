package message

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"

	"github.com/google/uuid"
	gomail "github.com/wneessen/go-mail"
)

// patience is how long a mail server may take for each command.
const patience = 5 * time.Second

// underway is how many mails of a process are handed over at the same time.
const underway = 4

// ErrRefused says that a message is never taken: there is no such receiver, the server does not like the text, or it cannot be written.
var ErrRefused = errors.New("the message is not taken")

// Mail is one e-mail to one receiver. Its ID makes its Message-ID: a mail that is sent twice is seen as one.
type Mail struct {
	ID      uuid.UUID
	To      string
	Subject string
	Text    string
	HTML    string
	At      time.Time
}

// Mailer hands mails to a mail server.
type Mailer struct {
	server *Server
	from   *mail.Address
	seats  chan struct{}
	roots  *x509.CertPool // nil = the system's
}

// NewMailer makes a mailer that sends from an address.
func NewMailer(server *Server, from *mail.Address) *Mailer {
	return &Mailer{server: server, from: from, seats: make(chan struct{}, underway)}
}

// Sender is how the service calls itself in mails.
func (m *Mailer) Sender() string {
	if m.from.Name != "" {
		return m.from.Name
	}
	return m.from.Address
}

// Send hands a mail to the server. With an error of ErrRefused it is never taken; with any other one it may have been taken all the same.
func (m *Mailer) Send(ctx context.Context, mail Mail) error {
	msg, err := m.write(mail)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	select {
	case m.seats <- struct{}{}:
		defer func() { <-m.seats }()
	case <-ctx.Done():
		return ctx.Err()
	}
	client, err := m.client()
	if err != nil {
		return err
	}
	conn, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return fmt.Errorf("reach the mail server: %w", err)
	}
	defer func() { _ = client.CloseWithSMTPClient(conn) }() // what was taken is taken
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	err = client.SendWithSMTPClient(conn, msg)
	if msg.IsDelivered() {
		return nil
	}
	return verdict(err)
}

// write makes the mail. The library encodes every header, and refuses an address with a line break.
func (m *Mailer) write(mail Mail) (*gomail.Msg, error) {
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(m.from)
	if err := msg.To(mail.To); err != nil {
		return nil, err
	}
	_, domain, _ := strings.Cut(m.from.Address, "@")
	msg.SetMessageIDWithValue(mail.ID.String() + "@" + domain)
	msg.SetDateWithValue(mail.At)
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.Subject(mail.Subject)
	msg.SetBodyString(gomail.TypeTextPlain, mail.Text)
	msg.AddAlternativeString(gomail.TypeTextHTML, mail.HTML)
	return msg, nil
}

// client makes the connection's settings. Nothing is sent without TLS but to this machine.
func (m *Mailer) client() (*gomail.Client, error) {
	s, policy := m.server, gomail.TLSMandatory
	if s.Loopback {
		policy = gomail.TLSOpportunistic
	}
	options := []gomail.Option{gomail.WithPort(s.Port), gomail.WithTimeout(patience), gomail.WithTLSPolicy(policy), gomail.WithoutNoop(),
		gomail.WithTLSConfig(&tls.Config{ServerName: s.Host, MinVersion: tls.VersionTLS12, RootCAs: m.roots})}
	if s.Implicit {
		options = append(options, gomail.WithSSL())
	}
	if s.User != "" {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(s.User), gomail.WithPassword(s.Password))
	}
	return gomail.NewClient(s.Host, options...)
}

// verdict tells a refusal for good from what may pass: a code of 500 or more about the receiver or the text.
func verdict(err error) error {
	var said *gomail.SendError
	if !errors.As(err, &said) || said.ErrorCode() < 500 {
		return err
	}
	switch said.Reason { //nolint:exhaustive // all others may pass
	case gomail.ErrSMTPRcptTo, gomail.ErrSMTPData, gomail.ErrSMTPDataClose:
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return err
}
