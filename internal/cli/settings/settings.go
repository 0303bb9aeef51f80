// Package settings reads the environment, a data directory's dev.json and the networks file, refuses mistakes, and shows
// settings without secrets.
package settings

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"

	"causeway/chains"
)

// DefaultDataDir is DATA_DIR where nothing says otherwise.
const DefaultDataDir = ".dev"

// Settings are the settings of the environment (operator §Settings). Every field has the setting's name, its
// default and its meaning; unreadable values stop the start.
type Settings struct {
	DatabaseURL       DatabaseURL     `env:"DATABASE_URL" about:"PostgreSQL, postgres://user:password@host:port/database"`
	OperatorDatabase  DatabaseURL     `env:"OPERATOR_DATABASE_URL" about:"the same database, with a user who may act as the operator, for commands and the console; default DATABASE_URL"`
	ReadDatabase      DatabaseURL     `env:"DATABASE_READ_URL" about:"a replica of DATABASE_URL's server, which answers lists while it has all that was committed before"`
	DatabaseRoles     rolePrefix      `env:"DATABASE_ROLES" envDefault:"causeway" about:"prefix of the database roles, as in causeway_api"`
	DatabasePasswords passwords       `env:"DATABASE_PASSWORDS" about:"role:password, separated by commas: migrate up lets these database roles log in with these passwords"`
	RedisURL          RedisURL        `env:"REDIS_URL" about:"Redis: redis://user:password@host:port/number, redis-sentinel://user:password@sentinel:port,sentinel:port/number?master=NAME or redis-cluster://user:password@node:port,node:port"`
	ListenAddr        Address         `env:"LISTEN_ADDR" envDefault:":8080" about:"where the /v1 API listens"`
	OperatorAddr      Address         `env:"OPERATOR_ADDR" envDefault:"127.0.0.1:8081" about:"where the operator port listens: console, metrics, queues"`
	PublicBaseURL     BaseURL         `env:"PUBLIC_BASE_URL" about:"address under which payers reach LISTEN_ADDR, such as https://pay.example.com; payins then link to their payment page"`
	ConsoleBaseURL    BaseURL         `env:"CONSOLE_BASE_URL" about:"address under which operators reach OPERATOR_ADDR, such as https://ops.example.com; messages to them then link to the console"`
	SMTP              SMTPServer      `env:"SMTP_URL" about:"the mail server for messages to people, smtp://user:password@host:587 with STARTTLS, or smtps://…:465; without it no e-mail is sent"`
	MailFrom          MailSender      `env:"MAIL_FROM" about:"sender of e-mails, as in Example Pay <pay@example.com>; needed with SMTP_URL"`
	EmailsKept        emailsKept      `env:"CUSTOMER_EMAILS_KEPT_DAYS" envDefault:"0" about:"days after the end of a payment request until its customer_email is forgotten, at least 30; 0 keeps it for ever"`
	HeaderPrefix      headerPrefix    `env:"HEADER_PREFIX" envDefault:"X-Service" about:"prefix of every header of ours, in and out"`
	TrustedProxies    proxies         `env:"TRUSTED_PROXIES" about:"IP addresses and CIDRs, separated by commas, whose X-Forwarded-For is trusted"`
	SecretsKey        SecretsKey      `env:"SECRETS_KEY" about:"32 bytes base64 that encrypt secrets at rest; older keys may follow after commas"`
	SealKey           SecretsKey      `env:"SEAL_KEY" about:"32 bytes base64 by which the api seals payouts and the signer checks them; older keys may follow after commas; default: derived from SECRETS_KEY"`
	AllowedHosts      hosts           `env:"WEBHOOK_ALLOWED_HOSTS" about:"webhook receivers, separated by commas, that may be private, use http and any port; for tests only"`
	RateLimit         rateLimit       `env:"RATE_LIMIT" envDefault:"1000/60" about:"requests/seconds of keys without their own; 0/1 means no limit"`
	AuthFailures      authFailures    `env:"AUTH_FAILURES" envDefault:"10/300/900" about:"failures/seconds/blocked seconds of one IP address"`
	SandboxDatabase   DatabaseURL     `env:"SANDBOX_DATABASE_URL" about:"PostgreSQL database of a sandbox beside the live networks; it needs one of its own"`
	SandboxDesk       DatabaseURL     `env:"SANDBOX_OPERATOR_DATABASE_URL" about:"OPERATOR_DATABASE_URL of that sandbox; SANDBOX_DATABASE_URL when not set"`
	SandboxRedis      RedisURL        `env:"SANDBOX_REDIS_URL" about:"Redis of that sandbox: another number, or another server"`
	SandboxOperator   Address         `env:"SANDBOX_OPERATOR_ADDR" envDefault:"127.0.0.1:8082" about:"where the operator port of that sandbox listens"`
	SandboxSecretsKey SecretsKey      `env:"SANDBOX_SECRETS_KEY" about:"SECRETS_KEY of that sandbox; SECRETS_KEY when not set"`
	SandboxBlockTime  pace            `env:"SANDBOX_BLOCK_TIME" envDefault:"1s" about:"time between blocks of sandbox networks; 0 means only by command"`
	SandboxFunds      worth           `env:"SANDBOX_FUNDS" envDefault:"100000" about:"how many USD the first holdings of a simulated network's hot wallet are worth, of each token"`
	NetworksFile      string          `env:"NETWORKS_FILE" about:"YAML file of the real networks; if it names any, no other network is offered, except by causeway dev"`
	PriceSources      PriceSources    `env:"PRICE_SOURCES" about:"sources of live prices, separated by commas: coinbase, coingecko, frankfurter, kraken; without any, the fixed prices of the sandbox apply"`
	DataDir           string          `env:"DATA_DIR" envDefault:".dev" about:"directory of causeway dev, whose dev.json fills in what is not set"`
	LogLevel          logLevel        `env:"LOG_LEVEL" envDefault:"info" about:"debug, info, warn or error"`
	LogFormat         logFormat       `env:"LOG_FORMAT" envDefault:"json" about:"json or text"`
	WorkerConcurrency concurrency     `env:"WORKER_CONCURRENCY" envDefault:"256" about:"jobs of one queue that a worker process works on at the same time"`
	WebhooksKept      daysKept        `env:"WEBHOOKS_KEPT_DAYS" envDefault:"0" about:"days after their end until webhooks are deleted, at least 7; 0 keeps them for ever; the same for every role"`
	Dev               *DevFile        `env:"-"` // of the data directory; nil when there is none
	Sandbox           bool            // these are of the sandbox beside live networks
	InDev             bool            // these are of causeway dev itself
	Drivers           []chains.Driver `env:"-"` // the readers of NETWORKS_FILE
	sources           map[string]string
	texts             map[string]string // as given
}

// Where a setting came from, as `causeway config` shows it.
const (
	FromDefault     = "default"
	fromEnvironment = "environment"
	fromDevFile     = DevFileName
	fromFlag        = "flag"
	notSet          = "not set"
)

// loopback is WEBHOOK_ALLOWED_HOSTS in dev (operator §Settings).
const loopback = "localhost,127.0.0.1,::1"

// Read reads the environment, completed from the dev.json of a data directory; "" is the one in DATA_DIR.
func Read(environ []string, dataDir string) (*Settings, error) {
	return readFrom(environ, dataDir, true)
}

// ReadAlone reads the environment alone, for causeway dev, the writer of dev.json: the file of an earlier run is in
// Dev and completes nothing. Dev is a sandbox already, so another beside it is left out.
func ReadAlone(environ []string, dataDir string) (*Settings, error) {
	s, err := readFrom(environ, dataDir, false)
	if err == nil {
		s.SandboxDatabase, s.SandboxRedis, s.InDev = "", "", true
	}
	return s, err
}

func readFrom(environ []string, dataDir string, complete bool) (*Settings, error) {
	s := &Settings{sources: map[string]string{}, texts: map[string]string{}}
	params, err := env.GetFieldParams(s)
	if err != nil {
		return nil, fmt.Errorf("table of settings: %w", err)
	}
	s.take(environ, params)
	if dataDir != "" {
		s.set("DATA_DIR", dataDir, fromFlag)
	}
	dir := DefaultDataDir
	if s.texts["DATA_DIR"] != "" {
		dir = s.texts["DATA_DIR"]
	}
	if s.Dev, err = ReadDevFile(dir); err != nil {
		return nil, err
	}
	if complete {
		s.complete()
	}
	if !complete && s.texts["WEBHOOK_ALLOWED_HOSTS"] == "" {
		s.set("WEBHOOK_ALLOWED_HOSTS", loopback, FromDefault)
	}
	if err := s.parse(); err != nil {
		return s, err
	}
	if s.SMTP.Server != nil && s.MailFrom.Address == nil {
		return s, errors.New("MAIL_FROM is not set, and SMTP_URL is")
	}
	return s, nil
}

// take keeps our settings from the environment; an empty value is none.
func (s *Settings) take(environ []string, params []env.FieldParams) {
	for _, f := range params {
		s.sources[f.Key] = notSet
		if f.HasDefaultValue {
			s.sources[f.Key] = FromDefault
		}
	}
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		if _, ours := s.sources[name]; ours && value != "" {
			s.set(name, value, fromEnvironment)
		}
	}
}

func (s *Settings) set(name, text, source string) { s.texts[name], s.sources[name] = text, source }

// complete takes settings missing in the environment from dev.json. Its secrets key belongs to its database alone: other
// keys cannot open secrets sealed under it. So do its Redis, where the workers of two databases would take each other's
// tasks, and the names of its headers: another service has its own.
func (s *Settings) complete() {
	if s.Dev == nil {
		return
	}
	own := s.texts["DATABASE_URL"] == "" || s.texts["DATABASE_URL"] == s.Dev.DatabaseURL
	fill := map[string]string{"DATABASE_URL": s.Dev.DatabaseURL}
	if own {
		fill["REDIS_URL"], fill["PUBLIC_BASE_URL"] = s.Dev.RedisURL, s.Dev.PublicBaseURL
		fill["SECRETS_KEY"], fill["SEAL_KEY"] = s.Dev.SecretsKey, s.Dev.SealKey
		fill["WEBHOOK_ALLOWED_HOSTS"], fill["HEADER_PREFIX"] = loopback, s.Dev.HeaderPrefix
	}
	for name, text := range fill {
		if s.texts[name] == "" && text != "" {
			s.set(name, text, fromDevFile)
		}
	}
}

// parse fills the fields; its error is one line with the first unreadable setting.
func (s *Settings) parse() error {
	err := env.ParseWithOptions(s, env.Options{Environment: s.texts})
	var failed env.AggregateError
	if !errors.As(err, &failed) {
		return err
	}
	var bad env.ParseError
	if !errors.As(failed.Errors[0], &bad) {
		return failed.Errors[0]
	}
	return fmt.Errorf("%s: %w", settingOf(bad.Name), bad.Err)
}

func settingOf(field string) string {
	f, _ := reflect.TypeFor[Settings]().FieldByName(field)
	return f.Tag.Get("env")
}

// OfRoles are the settings needed by every role.
var OfRoles = []string{"DATABASE_URL", "REDIS_URL", "SECRETS_KEY"}

// Need returns an error if one of these is not set.
func (s *Settings) Need(names ...string) error {
	for _, name := range names {
		if name = s.Named(name); s.Source(name) == notSet {
			return fmt.Errorf("%s is not set, and %s", name, s.whyNotFromDev(name))
		}
	}
	return nil
}

// Source tells where a setting came from.
func (s *Settings) Source(name string) string { return s.sources[name] }

// whyNotFromDev says why dev.json did not fill a setting in.
func (s *Settings) whyNotFromDev(name string) string {
	path := filepath.Join(s.DataDir, DevFileName)
	switch {
	case s.Sandbox:
		return "--sandbox is about the sandbox beside live networks alone: causeway dev is found without it"
	case s.Dev == nil:
		return "there is no " + path
	case (name == "SECRETS_KEY" || name == "REDIS_URL") && s.Source("DATABASE_URL") == fromEnvironment:
		return path + " belongs to another database"
	default:
		return path + " does not have it"
	}
}

// BlockTime is SandboxBlockTime as a duration.
func (s *Settings) BlockTime() time.Duration { return time.Duration(s.SandboxBlockTime) }
