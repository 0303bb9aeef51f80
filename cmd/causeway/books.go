package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"causeway/api"
	"causeway/ledger"
	"causeway/pay"
	"causeway/store"
	"causeway/tasks"
	"causeway/vault"
)

// doubled are the settings that a sandbox beside live networks has of its own, as SANDBOX_….
var doubled = []string{"DATABASE_URL", "REDIS_URL", "OPERATOR_ADDR", "SECRETS_KEY"}

// sandboxTasks is how much a sandbox does at once, so that it takes little from the live networks beside it.
const sandboxTasks = 8

// ofSandbox answers the settings of the sandbox beside the live networks: its own database and Redis, no real network, and
// fixed prices (operator §A sandbox beside live networks).
func (s *Settings) ofSandbox() *Settings {
	out := *s
	out.sandbox, out.Dev = true, nil
	out.DatabaseURL, out.RedisURL, out.OperatorAddr = s.SandboxDatabase, s.SandboxRedis, s.SandboxOperator
	out.NetworksFile, out.PriceSources = "", nil
	out.WorkerConcurrency = min(s.WorkerConcurrency, sandboxTasks)
	if len(s.SandboxSecretsKey) > 0 {
		out.SecretsKey = s.SandboxSecretsKey
	}
	if s.PublicBaseURL != "" {
		out.PublicBaseURL += api.SandboxPrefix
	}
	return &out
}

// named is the name of a setting here.
func (s *Settings) named(setting string) string {
	own := "SANDBOX_" + setting
	if !s.sandbox || !slices.Contains(doubled, setting) || setting == "SECRETS_KEY" && s.Source(own) == notSet {
		return setting
	}
	return own
}

// vault makes the vault, whose keys are marked in a sandbox beside live networks.
func (s *Settings) vault() *vault.Vault {
	if s.sandbox {
		return s.SecretsKey.vault().ForSandbox()
	}
	return s.SecretsKey.vault()
}

// beside answers the settings of the sandbox beside these; nil when there is none. It refuses what would mix them.
func (s *Settings) beside() (*Settings, error) {
	if s.sandbox || s.SandboxDatabase == "" && s.SandboxRedis == "" {
		return nil, nil
	}
	file, err := s.readNetworks()
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
	case len(file.EVM) == 0:
		return nil, errors.New("SANDBOX_DATABASE_URL is set and NETWORKS_FILE names no network: a sandbox stands beside live networks")
	}
	return s.ofSandbox(), nil
}

// databaseOf and redisOf name what an address leads to; two names of one server are seen by
// the claim of its database, and by sameRedis.
func databaseOf(u databaseURL) string {
	c, err := pgx.ParseConfig(string(u))
	if err != nil {
		return ""
	}
	return fmt.Sprint(c.Host, c.Port, c.Database)
}

func redisOf(u redisURL) string {
	o, err := redis.ParseURL(string(u))
	if err != nil {
		return ""
	}
	return fmt.Sprint(o.Addr, o.DB)
}

// ownBooks refuses a database that holds the other books.
func (s *Settings) ownBooks(ctx context.Context, books *store.Store) error {
	kind, err := books.Books(ctx)
	if err != nil {
		return err
	}
	return s.mayUse(kind)
}

func (s *Settings) mayUse(kind store.Books) error {
	if s.sandbox && kind == store.LiveBooks {
		return errors.New("SANDBOX_DATABASE_URL: the database holds live books")
	}
	if !s.sandbox && kind == store.SandboxBooks {
		return errors.New("DATABASE_URL: the database holds the books of a sandbox beside live networks")
	}
	return nil
}

// claimBooks claims the database for good, once live books and a sandbox's stand side by side, and says whether only real
// networks are served.
func (h *house) claimBooks(ctx context.Context) error {
	if h.settings.sandbox {
		kind, err := h.store.ClaimBooks(ctx, store.SandboxBooks)
		if err != nil {
			return err
		}
		return h.settings.mayUse(kind)
	}
	kind, err := h.store.Books(ctx)
	if err != nil {
		return err
	}
	h.realOnly = kind == store.LiveBooks || h.settings.SandboxDatabase != ""
	if !h.realOnly || kind == store.LiveBooks {
		return nil
	}
	return h.store.InTx(ctx, h.becomeLive(ctx))
}

// becomeLive claims books for real networks. What followed simulated ones before is forgotten, and the treasury that these
// came with is written off; books in which simulated money has moved cannot become live ones.
func (h *house) becomeLive(ctx context.Context) func(tx *store.Store) error {
	return func(tx *store.Store) error {
		kind, err := tx.ClaimBooks(ctx, store.LiveBooks)
		if err == nil {
			err = h.settings.mayUse(kind)
		}
		if err != nil {
			return err
		}
		simulated, refs, err := h.settings.simulated()
		if err != nil {
			return err
		}
		moved, err := tx.MovedOn(ctx, simulated)
		if err != nil {
			return err
		}
		if len(moved) > 0 {
			return fmt.Errorf("DATABASE_URL: the books hold simulated money of %s: live books beside a sandbox begin in an empty database", strings.Join(moved, ", "))
		}
		if err := tx.Unfollow(ctx, simulated, string(tasks.FollowNetwork), refs); err != nil {
			return err
		}
		return writeOff(ctx, tx, simulated)
	}
}

// simulated are the networks that are no real ones, and what follows them.
func (s *Settings) simulated() (names []string, followers []uuid.UUID, err error) {
	file, err := s.readNetworks()
	if err != nil {
		return nil, nil, err
	}
	for _, n := range pay.Networks {
		if !file.has(n.Name) {
			names, followers = append(names, n.Name), append(followers, tasks.RefOf(n.Name))
		}
	}
	return names, followers, nil
}

// writeOff takes what is held on networks out of the treasury.
func writeOff(ctx context.Context, tx *store.Store, networks []string) error {
	held, err := tx.LedgerHoldings(ctx)
	if err != nil {
		return err
	}
	var entries []ledger.Entry
	for _, network := range networks {
		for asset, amount := range held[network] {
			if !amount.IsZero() {
				entries = append(entries, ledger.TreasuryCorrected(network, asset, "simulated:"+network+":"+asset, amount.Neg()))
			}
		}
	}
	_, err = ledger.Post(ctx, tx.Q, entries...)
	return err
}
