package settings

import (
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"causeway/api"
	"causeway/internal/vault"
)

// doubled are the settings of which a sandbox beside live networks has its own, as SANDBOX_….
var doubled = []string{"DATABASE_URL", "OPERATOR_DATABASE_URL", "REDIS_URL", "OPERATOR_ADDR", "SECRETS_KEY"}

// sandboxJobs is how many jobs of a queue a sandbox does at once: few, to take little from the live networks beside it.
const sandboxJobs = 8

// OfSandbox returns the settings of the sandbox beside the live networks: its own database and Redis, no real network, and
// fixed prices (operator §A sandbox beside live networks).
func (s *Settings) OfSandbox() *Settings {
	out := *s
	out.Sandbox, out.Dev = true, nil
	out.DatabaseURL, out.RedisURL, out.OperatorAddr = s.SandboxDatabase, s.SandboxRedis, s.SandboxOperator
	out.OperatorDatabase, out.ReadDatabase = s.SandboxDesk, ""
	out.NetworksFile, out.PriceSources, out.SMTP = "", nil, SMTPServer{} // nobody is told of play money
	out.WorkerConcurrency = min(s.WorkerConcurrency, sandboxJobs)
	if len(s.SandboxSecretsKey) > 0 {
		out.SecretsKey = s.SandboxSecretsKey
	}
	if s.PublicBaseURL != "" {
		out.PublicBaseURL += api.SandboxPrefix
	}
	return &out
}

// Named is the name of a setting here.
func (s *Settings) Named(setting string) string {
	own := "SANDBOX_" + setting
	if !s.Sandbox || !slices.Contains(doubled, setting) || setting == "SECRETS_KEY" && s.Source(own) == notSet {
		return setting
	}
	return own
}

// Vault makes the vault. In a sandbox beside live networks its keys are marked.
func (s *Settings) Vault() *vault.Vault {
	if s.Sandbox {
		return s.SecretsKey.Vault().ForSandbox()
	}
	return s.SecretsKey.Vault()
}

// Seals makes the sealer of payouts, by SEAL_KEY or, without it, by SECRETS_KEY. A seal of a sandbox beside live networks fits no
// payout of the live books, and the other way round.
func (s *Settings) Seals() *vault.Sealer {
	purpose, keys := "payout", s.SealKey
	if len(keys) == 0 {
		keys = s.SecretsKey
	}
	if s.Sandbox {
		purpose = "sandbox payout"
	}
	return vault.NewSealer(purpose, keys[0], keys[1:]...)
}

// SandboxSettings returns the settings of the sandbox beside these; nil when there is none. It refuses settings that would
// mix the two.
func (s *Settings) SandboxSettings() (*Settings, error) {
	if s.Sandbox || s.SandboxDatabase == "" && s.SandboxRedis == "" {
		return nil, nil
	}
	file, err := s.ReadNetworks()
	if err != nil {
		return nil, err
	}
	switch {
	case s.SandboxDatabase == "":
		return nil, errors.New("SANDBOX_DATABASE_URL is not set, and SANDBOX_REDIS_URL is")
	case s.SandboxRedis == "":
		return nil, errors.New("SANDBOX_REDIS_URL is not set, and SANDBOX_DATABASE_URL is")
	case databaseOf(s.SandboxDatabase) == databaseOf(s.DatabaseURL):
		return nil, errors.New("SANDBOX_DATABASE_URL is the database of DATABASE_URL: a sandbox needs one of its own")
	case redisOf(s.SandboxRedis) == redisOf(s.RedisURL):
		return nil, errors.New("SANDBOX_REDIS_URL is the database of REDIS_URL: a sandbox needs one of its own, as by another number")
	case len(file.Live) == 0:
		return nil, errors.New("SANDBOX_DATABASE_URL is set and NETWORKS_FILE names no network: a sandbox stands beside live networks")
	}
	return s.OfSandbox(), nil
}

// databaseOf and redisOf name the database of an address; two names of one server are recognised only once it is open.
func databaseOf(u DatabaseURL) string {
	c, err := pgx.ParseConfig(string(u))
	if err != nil {
		return ""
	}
	return fmt.Sprint(c.Host, c.Port, c.Database)
}

func redisOf(u RedisURL) string {
	r, err := u.Read()
	if err != nil {
		return ""
	}
	return fmt.Sprint(r.name(), r.Number())
}
