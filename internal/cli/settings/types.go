package settings

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"

	"causeway/api"
	"causeway/internal/message"
	"causeway/internal/pricing"
	"causeway/internal/vault"
	"causeway/migrations"
)

// The types of settings. Each reads itself from text; an error says the expected form and shows no secret.
type (
	headerPrefix string
	proxies      []netip.Prefix
	hosts        []string
	rateLimit    struct{ api.Quota }
	authFailures struct{ api.FailureRule }
	pace         time.Duration
	worth        struct{ decimal.Decimal }
	logLevel     struct{ logrus.Level }
	logFormat    string
	concurrency  int
	daysKept     int
	emailsKept   int
	rolePrefix   string
	passwords    map[migrations.Role]string
)

// Address is host:port, where something listens.
type Address string

// DatabaseURL is an address for a PostgreSQL driver.
type DatabaseURL string

// BaseURL is an http or https address without a slash at its end.
type BaseURL string

// SecretsKey is the keys to seal secrets with, newest first.
type SecretsKey [][]byte

// SMTPServer is the mail server that messages are handed to; none without Server.
type SMTPServer struct{ Server *message.Server }

// MailSender is the sender of e-mails; none without Address.
type MailSender struct{ Address *mail.Address }

// PriceSources are names of live sources, each once.
type PriceSources []string

// UnmarshalText reads the prefix of the names of database roles.
func (p *rolePrefix) UnmarshalText(text []byte) error {
	*p = rolePrefix(text)
	return migrations.CheckPrefix(string(text))
}

// rolePassword is a password of a database role without need of quotes anywhere, an address included.
var rolePassword = regexp.MustCompile(`^[A-Za-z0-9_-]{16,128}$`)

// UnmarshalText reads role:password, by commas. A role without a password is left out.
func (p *passwords) UnmarshalText(text []byte) error {
	*p = passwords{}
	for _, part := range strings.Split(string(text), ",") {
		name, password, ok := strings.Cut(strings.TrimSpace(part), ":")
		role := migrations.Role(name)
		if !ok || !migrations.CanLogIn(role) {
			return errors.New("not role:password with api, worker, signer, scheduler, operator, workers or dev for a role")
		}
		if password == "" {
			continue
		}
		if !rolePassword.MatchString(password) {
			return fmt.Errorf("the password of %s is not 16 to 128 of A-Z, a-z, 0-9, _ and -", role)
		}
		(*p)[role] = password
	}
	return nil
}

// UnmarshalText reads a postgres:// address.
func (u *DatabaseURL) UnmarshalText(text []byte) error {
	parsed, err := url.Parse(string(text))
	if err != nil || parsed.Scheme != "postgres" && parsed.Scheme != "postgresql" {
		return errors.New("not a postgres:// address")
	}
	if _, err := pgx.ParseConfig(string(text)); err != nil { // it says more, and might say the password
		return errors.New("not a postgres:// address that can be used: a parameter, or a file that one names, is wrong")
	}
	*u = DatabaseURL(text)
	return nil
}

// ReadAddress reads host:port.
func ReadAddress(text string) (a Address, err error) { return a, a.UnmarshalText([]byte(text)) }

// UnmarshalText reads host:port.
func (a *Address) UnmarshalText(text []byte) error {
	_, port, err := net.SplitHostPort(string(text))
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("%q is not host:port", text)
	}
	*a = Address(text)
	return nil
}

// UnmarshalText reads an http:// or https:// address.
func (u *BaseURL) UnmarshalText(text []byte) error {
	parsed, err := url.Parse(string(text))
	bare := url.URL{}
	if err == nil {
		bare = url.URL{Scheme: parsed.Scheme, Host: parsed.Host, Path: parsed.Path, RawPath: parsed.RawPath}
	}
	if bare.Scheme != "https" && bare.Scheme != "http" || parsed.Hostname() == "" || bare.String() != string(text) {
		return errors.New("not an address like https://pay.example.com, without user, query or fragment")
	}
	*u = BaseURL(strings.TrimRight(string(text), "/"))
	return nil
}

var prefixForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*$`)

// UnmarshalText reads the prefix of a header's name.
func (h *headerPrefix) UnmarshalText(text []byte) error {
	if !prefixForm.Match(text) {
		return fmt.Errorf("%q cannot begin a header's name", text)
	}
	*h = headerPrefix(text)
	return nil
}

// UnmarshalText reads addresses and CIDRs, by commas.
func (n *proxies) UnmarshalText(text []byte) error {
	list, bad := api.ParseNetworks(Commas(string(text)))
	if bad != "" {
		return fmt.Errorf("%q is neither an address nor a CIDR", bad)
	}
	*n = list
	return nil
}

// UnmarshalText reads keys in base64, by commas.
func (k *SecretsKey) UnmarshalText(text []byte) error {
	*k = nil
	for _, part := range Commas(string(text)) {
		key, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(part, "="))
		if err != nil || len(key) != vault.KeySize {
			return fmt.Errorf("not %d bytes in base64; create one with `openssl rand -base64 %d`", vault.KeySize, vault.KeySize)
		}
		*k = append(*k, key)
	}
	if len(*k) == 0 {
		return errors.New("no key in it")
	}
	return nil
}

// Vault opens secrets sealed under any of the keys and seals under the first.
func (k SecretsKey) Vault() *vault.Vault { return vault.New(k[0], k[1:]...) }

// UnmarshalText reads an smtp:// or smtps:// address.
func (s *SMTPServer) UnmarshalText(text []byte) (err error) {
	s.Server, err = message.ParseServer(string(text))
	return err
}

// UnmarshalText reads an e-mail address, with a name or without.
func (m *MailSender) UnmarshalText(text []byte) (err error) {
	m.Address, err = message.ParseSender(string(text))
	return err
}

// hostForm is a host's name, without scheme, port or wildcard.
var hostForm = regexp.MustCompile(`^[\p{L}\p{N}_]([\p{L}\p{N}_.-]*[\p{L}\p{N}_])?$`)

// UnmarshalText reads names and addresses of hosts, by commas.
func (h *hosts) UnmarshalText(text []byte) error {
	*h = nil
	for _, host := range Commas(string(text)) {
		if _, err := netip.ParseAddr(host); err != nil && !hostForm.MatchString(host) {
			return fmt.Errorf("%q is not a host name", host)
		}
		*h = append(*h, host)
	}
	return nil
}

// UnmarshalText reads requests/seconds.
func (r *rateLimit) UnmarshalText(text []byte) error {
	n, err := Slashes(string(text), 2)
	if err != nil || n[1] == 0 {
		return fmt.Errorf("%q is not requests/seconds, like 1000/60", text)
	}
	r.Quota = api.Quota{Requests: n[0], Window: seconds(n[1])}
	return nil
}

// UnmarshalText reads failures/seconds/blocked seconds.
func (f *authFailures) UnmarshalText(text []byte) error {
	n, err := Slashes(string(text), 3)
	if err != nil || n[0] == 0 || n[1] == 0 || n[2] == 0 {
		return fmt.Errorf("%q is not failures/seconds/blocked seconds, like 10/300/900", text)
	}
	f.FailureRule = api.FailureRule{Failures: n[0], Within: seconds(n[1]), Block: seconds(n[2])}
	return nil
}

// leastPace is the shortest time between blocks a database can keep: a block takes milliseconds, and intervals end at microseconds.
const leastPace = 10 * time.Millisecond

// UnmarshalText reads a duration of at least leastPace, or none.
func (d *pace) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil || parsed != 0 && parsed < leastPace {
		return fmt.Errorf("%q is not a duration like 1s or 500ms, of at least %v, or 0", text, leastPace)
	}
	*d = pace(parsed)
	return nil
}

// mostWorth is how many USD the first holdings of a simulated hot wallet are worth at most.
var mostWorth = decimal.New(1, 15)

// UnmarshalText reads a plain number of USD.
func (w *worth) UnmarshalText(text []byte) error {
	parsed, err := decimal.NewFromString(string(text))
	if err != nil || parsed.LessThan(decimal.New(1, 0)) || parsed.GreaterThan(mostWorth) {
		return fmt.Errorf("%q is not a number of USD like 100000, from 1 to 10^15", text)
	}
	w.Decimal = parsed
	return nil
}

// UnmarshalText reads the name of a level.
func (l *logLevel) UnmarshalText(text []byte) error {
	levels := map[string]logrus.Level{"debug": logrus.DebugLevel, "info": logrus.InfoLevel, "warn": logrus.WarnLevel,
		"warning": logrus.WarnLevel, "error": logrus.ErrorLevel}
	level, ok := levels[strings.ToLower(string(text))]
	if !ok {
		return fmt.Errorf("%q is not debug, info, warn or error", text)
	}
	l.Level = level
	return nil
}

// UnmarshalText reads json or text.
func (f *logFormat) UnmarshalText(text []byte) error {
	if string(text) != "json" && string(text) != "text" {
		return fmt.Errorf("%q is not json or text", text)
	}
	*f = logFormat(text)
	return nil
}

// UnmarshalText reads a number from 1 to 10000.
func (c *concurrency) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 || n > 10000 {
		return fmt.Errorf("%q is not a number from 1 to 10000", text)
	}
	*c = concurrency(n)
	return nil
}

// UnmarshalText reads a number of days, or 0 for ever. No merchant looks a webhook up within less than a week and finds it gone.
func (d *daysKept) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n != 0 && n < 7 || n > 36500 {
		return fmt.Errorf("%q is not a number of days from 7 to 36500, or 0", text)
	}
	*d = daysKept(n)
	return nil
}

// UnmarshalText reads a number of days to keep addresses.
func (d *emailsKept) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n != 0 && n < 30 || n > 36500 {
		return fmt.Errorf("%q is not a number of days from 30 to 36500, or 0", text)
	}
	*d = emailsKept(n)
	return nil
}

// UnmarshalText reads names of sources, by commas.
func (p *PriceSources) UnmarshalText(text []byte) error {
	*p = nil
	for _, name := range Commas(string(text)) {
		if !pricing.Known(name) {
			return fmt.Errorf("%q is not a price source: the sources are %s", name, strings.Join(pricing.Names(), ", "))
		}
		if slices.Contains(*p, name) {
			return fmt.Errorf("%q is listed twice", name)
		}
		*p = append(*p, name)
	}
	return nil
}

// Commas splits a list, without blanks.
func Commas(text string) []string {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// Slashes reads exactly n whole numbers between slashes, each at most a billion.
func Slashes(text string, n int) ([]int, error) {
	parts := strings.Split(text, "/")
	if len(parts) != n {
		return nil, errors.New("wrong number of parts")
	}
	out := make([]int, n)
	for i, part := range parts {
		number, err := strconv.ParseUint(part, 10, 30)
		if err != nil {
			return nil, err
		}
		out[i] = int(number)
	}
	return out, nil
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
