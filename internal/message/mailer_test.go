package message

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/mailserver"
)

// certificate makes a certificate of the loopback address, and the pool that trusts it.
func certificate(t *testing.T) (*tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	form := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

// mailer sends to a server as one that is not of this machine: TLS is required.
func mailer(s *mailserver.Server, roots *x509.CertPool) *Mailer {
	m := NewMailer(&Server{Host: s.Host(), Port: s.Port()}, &mail.Address{Name: "Example Pay", Address: "pay@example.com"})
	m.roots = roots
	return m
}

func testMail() Mail {
	return Mail{ID: uuid.MustParse("0192f000-0000-7000-8000-000000000001"), To: "ann@example.com", Subject: "A payout failed", Text: "Ünicode", HTML: "<p>Ünicode</p>", At: time.Now()}
}

// A mail goes by STARTTLS, with the login of the server, to one receiver. Its Message-ID is the same each time.
func TestAMailGoesByTLS(t *testing.T) {
	t.Parallel()
	cert, roots := certificate(t)
	s := mailserver.Start(t, cert)
	s.User, s.Password = "pay", "secret"
	m := mailer(s, roots)
	require.ErrorContains(t, m.Send(t.Context(), testMail()), "authenticate first")
	m.server.User, m.server.Password = "pay", "wrong"
	require.Error(t, m.Send(t.Context(), testMail()))
	require.Empty(t, s.Mails())
	m.server.Password = "secret"
	for range 2 {
		require.NoError(t, m.Send(t.Context(), testMail()))
	}
	got := s.Mails()
	require.Len(t, got, 2)
	require.Equal(t, "pay@example.com", got[0].From)
	require.Equal(t, "ann@example.com", got[0].To)
	require.Equal(t, `"Example Pay" <pay@example.com>`, got[0].Header.Get("From"))
	require.Equal(t, "<0192f000-0000-7000-8000-000000000001@example.com>", got[0].Header.Get("Message-ID"))
	require.Equal(t, "auto-generated", got[0].Header.Get("Auto-Submitted"))
	require.Equal(t, got[0].Header.Get("Message-ID"), got[1].Header.Get("Message-ID"))
	require.Contains(t, got[0].Raw, "text/plain")
	require.Contains(t, got[0].Raw, "text/html")
}

// A server without TLS, or with a certificate of a stranger, is given nothing, unless it is of this machine.
//
// Covers operator §Messages: Nothing is sent without TLS
func TestNothingGoesWithoutTLS(t *testing.T) {
	t.Parallel()
	plain := mailserver.Start(t, nil)
	m := mailer(plain, nil)
	require.ErrorContains(t, m.Send(t.Context(), testMail()), "STARTTLS")
	require.Empty(t, plain.Mails())
	m.server.Loopback = true
	require.NoError(t, m.Send(t.Context(), testMail()))
	require.Len(t, plain.Mails(), 1)

	cert, _ := certificate(t)
	strange := mailserver.Start(t, cert)
	require.ErrorContains(t, mailer(strange, nil).Send(t.Context(), testMail()), "certificate")
	require.Empty(t, strange.Mails())
}

// A line break in a receiver or a subject makes no header.
func TestNoHeaderIsInjected(t *testing.T) {
	t.Parallel()
	s := mailserver.Start(t, nil)
	m := mailer(s, nil)
	m.server.Loopback = true
	mail := testMail()
	mail.To = "ann@example.com\r\nBcc: eve@example.com"
	require.ErrorIs(t, m.Send(t.Context(), mail), ErrRefused)
	require.Empty(t, s.Mails())
	mail = testMail()
	mail.Subject = "Hello\r\nBcc: eve@example.com\r\n\r\nbody"
	require.NoError(t, m.Send(t.Context(), mail))
	require.Empty(t, s.Mails()[0].Header.Get("Bcc"))
	require.Equal(t, "ann@example.com", s.Mails()[0].To)
}

// What a server refuses for good is told apart from what may pass.
func TestRefusals(t *testing.T) {
	t.Parallel()
	s := mailserver.Start(t, nil)
	m := mailer(s, nil)
	m.server.Loopback = true
	s.Refuse["ann@example.com"] = mailserver.Gone
	require.ErrorIs(t, m.Send(t.Context(), testMail()), ErrRefused)
	s.Set(func(s *mailserver.Server) { s.Refuse = map[string]error{"ann@example.com": mailserver.Later} })
	err := m.Send(t.Context(), testMail())
	require.ErrorContains(t, err, "try again later")
	require.NotErrorIs(t, err, ErrRefused)
	s.Set(func(s *mailserver.Server) { s.Refuse, s.Full = nil, mailserver.Later })
	err = m.Send(t.Context(), testMail())
	require.Error(t, err)
	require.NotErrorIs(t, err, ErrRefused)
	s.Set(func(s *mailserver.Server) { s.Full, s.Lose = nil, 1 })
	err = m.Send(t.Context(), testMail())
	require.Error(t, err, "an answer that was lost is no success")
	require.NotErrorIs(t, err, ErrRefused)
	require.NoError(t, m.Send(t.Context(), testMail()))
	require.Len(t, s.Mails(), 2)
}

// The address of a mail server is read with its defaults, and nothing else is taken for one.
func TestParseServer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Server{
		"smtp://mail.example.com":               {Host: "mail.example.com", Port: 587},
		"smtps://mail.example.com":              {Host: "mail.example.com", Port: 465, Implicit: true},
		"smtp://u%40x:p%2F@mail.example.com:25": {Host: "mail.example.com", Port: 25, User: "u@x", Password: "p/"},
		"smtp://127.0.0.1:1025":                 {Host: "127.0.0.1", Port: 1025, Loopback: true},
		"smtp://[::1]:1025/":                    {Host: "::1", Port: 1025, Loopback: true},
		"smtp://localhost":                      {Host: "localhost", Port: 587, Loopback: true},
	} {
		got, err := ParseServer(text)
		require.NoError(t, err, text)
		require.Equal(t, want, *got, text)
	}
	for _, text := range []string{"", "mail.example.com", "http://mail.example.com", "smtp://", "smtp://u@mail.example.com", "smtp://:p@mail.example.com",
		"smtp://h:0", "smtp://h:70000", "smtp://h/path", "smtp://h?tls=no", "smtp://h#x", "smtp:h"} {
		_, err := ParseServer(text)
		require.ErrorIs(t, err, errServer, text)
	}
}

// A mail names its facts, the first of many, and shows no fact as HTML.
func TestWrite(t *testing.T) {
	t.Parallel()
	line := Line{Title: "A payout failed", Text: "Payout <b>7</b>", Link: "https://pay.example.com/panel/payouts/7", Merchant: "Shop & Co"}
	one, err := Write("Example Pay", "https://pay.example.com/panel/account", []Line{line})
	require.NoError(t, err)
	require.Equal(t, "A payout failed", one.Subject)
	require.Equal(t, "A payout failed (Shop & Co)\nPayout <b>7</b>\nhttps://pay.example.com/panel/payouts/7\n\n-- \nExample Pay\n"+
		"Choose what you are told of: https://pay.example.com/panel/account\n", one.Text)
	require.Contains(t, one.HTML, "Payout &lt;b&gt;7&lt;/b&gt;")
	require.Contains(t, one.HTML, "Shop &amp; Co")
	many := make([]Line, mostLines+1)
	for i := range many {
		many[i] = line
	}
	all, err := Write("Example Pay", "", many)
	require.NoError(t, err)
	require.Equal(t, "A payout failed, and more like it", all.Subject)
	require.Equal(t, mostLines, strings.Count(all.Text, line.Text))
	require.Contains(t, all.Text, "There is more")
	require.NotContains(t, all.Text, "Choose")
	mixed, err := Write("Example Pay", "", []Line{line, {Title: "An API key was created"}})
	require.NoError(t, err)
	require.Equal(t, "Several things happened", mixed.Subject)
}

// Roles are told of what they have to do with.
func TestTopicsOfRoles(t *testing.T) {
	t.Parallel()
	topics := func(roles ...string) (out []Topic) {
		for _, t := range For(roles) {
			out = append(out, t.Topic)
		}
		return out
	}
	require.Equal(t, []Topic{NewLogin, Passkeys}, topics("viewer"))
	require.Equal(t, []Topic{NewLogin, Passkeys}, topics())
	require.Equal(t, []Topic{NewLogin, Passkeys, PayoutFailed}, topics("finance"))
	require.Equal(t, []Topic{NewLogin, Passkeys, KeyCreated, ReceiverFailing}, topics("developer"))
	require.Equal(t, []Topic{NewLogin, Passkeys, KeyCreated, PayoutFailed, ReceiverFailing}, topics("viewer", "owner"))
}
