package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/redis/go-redis/v9"
	"github.com/sirupsen/logrus"
	"github.com/uptrace/bun"

	"causeway/api"
	"causeway/chains"
	"causeway/internal/batch/redispipe"
	"causeway/internal/cli/connect"
	"causeway/internal/cli/devcmd"
	"causeway/internal/cli/rolelog"
	"causeway/internal/cli/settings"
	"causeway/internal/message"
	"causeway/internal/ops/onchain"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/internal/webhooks"
	"causeway/migrations"
	"causeway/scheduler"
	"causeway/tasks"
	"causeway/workers"
	"causeway/workers/catalogue"
	"causeway/workers/desk"
	"causeway/workers/follow"
	"causeway/workers/tell"
)

// service is everything the roles of one process share.
type service struct {
	settings *settings.Settings
	as       migrations.Role // its rights in the database
	log      *logrus.Logger
	db       *bun.DB
	readDB   *bun.DB // a replica; nil without one
	redisAt  settings.Redis
	redis    redis.UniversalClient
	hurried  redis.UniversalClient // the same Redis for the front: one attempt, short timeouts
	store    *store.Store
	desk     *store.Store // of the console, with the operator's rights; nil where this process may not act as the operator
	vault    *vault.Vault
	bell     tasks.Bell
	networks *chains.Registry
	webhooks *webhooks.Client

	file    *settings.NetworksFile
	books   store.BooksKind // the database is claimed for these
	leaving atomic.Bool     // told to stop
	seals   *vault.Sealer   // checks payouts; nil in a process without signing and without SEAL_KEY

	front  http.Handler // /v1 and the payers' pages, in an API
	beside *beside      // nil where no sandbox stands beside this one

	dev *devcmd.Dev // nil outside of dev
}

// poolSize is how many database connections a process has for a number of jobs at once: many share one statement.
func poolSize(concurrency int) int { return min(max(concurrency/2, 8), 32) }

// signing are the roles with private keys.
var signing = []migrations.Role{migrations.SignerRole, migrations.WorkersRole, migrations.DevRole}

// openService opens everything named by settings: one set of books with its networks, with the rights of a role. Only the
// roles of signing load private keys.
func openService(ctx context.Context, s *settings.Settings, stderr io.Writer, as migrations.Role) (*service, error) {
	h := &service{settings: s, as: as, log: rolelog.New(s, stderr)}
	if err := h.open(ctx, slices.Contains(signing, as)); err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

func (h *service) open(ctx context.Context, signs bool) (err error) {
	s := h.settings
	if h.file, err = s.ReadNetworks(); err != nil {
		return err
	}
	if h.db, err = connect.SchemaAs(ctx, s, h.as, poolSize(int(s.WorkerConcurrency))); err != nil {
		return err
	}
	if err = h.openRedis(ctx); err != nil {
		return err
	}
	if h.readDB, err = connect.Replica(s, h.as, deskPool); err != nil {
		return err
	}
	h.store = store.New(h.db)
	if h.readDB != nil {
		h.store = h.store.WithReplica(store.NewReplica(h.readDB, h.replicaTold))
	}
	if err = h.claimBooks(ctx); err != nil {
		return err
	}
	h.vault = connect.Vault(s, h.books)
	if err = h.openDesk(ctx); err != nil {
		return err
	}
	if err = connect.OwnSecrets(ctx, s, h.store); err != nil {
		return err
	}
	if signs || len(s.SealKey) > 0 {
		h.seals = s.Seals()
	}
	if signs {
		if err = connect.OwnSeals(ctx, s, h.store); err != nil {
			return err
		}
	}
	redispipe.Attach(h.redis)
	redispipe.Attach(h.hurried)
	h.bell = tasks.NewBell(h.redis)
	if h.networks, err = openNetworks(ctx, h, signs); err != nil {
		return err
	}
	if err = h.openPrices(ctx); err != nil {
		return err
	}
	warnings, err := s.Warnings()
	if err != nil {
		return err
	}
	for _, w := range warnings {
		h.log.Warn(w)
	}
	if h.live() {
		if err := connect.Forgets(ctx, s, h.db); err != nil {
			h.log.WithError(err).Warn("PostgreSQL may lose what is recorded")
		}
	}
	h.webhooks = webhooks.NewClient(webhooks.Options{Prefix: string(s.HeaderPrefix), AllowedHosts: s.AllowedHosts,
		Underway: int(s.WorkerConcurrency)})
	return nil
}

// replicaTold logs why the replica is passed over, and when it is read again.
func (h *service) replicaTold(failure error) {
	if failure == nil {
		h.log.Info("lists are read from the replica again")
		return
	}
	h.log.WithError(failure).Warn("lists are read from the primary: the replica fails (DATABASE_READ_URL)")
}

// deskPool is how many connections a console has where its process does not act as the operator itself.
const deskPool = 8

// openDesk opens the database for the console with the operator's rights, where this process may act as the operator.
func (h *service) openDesk(ctx context.Context) error {
	if h.as == migrations.OperatorRole || h.as == migrations.DevRole {
		h.desk = h.store
		return nil
	}
	db, err := connect.Schema(ctx, h.settings, deskPool)
	if errors.Is(err, connect.ErrNotTheRole) {
		h.log.Info("this process may not act as the operator: it has no console (OPERATOR_DATABASE_URL)")
		return nil
	}
	if err != nil {
		return err
	}
	h.desk = store.New(db)
	return nil
}

// openRedis makes the clients of Redis. A Redis without an answer stops no start: a role started while Redis is away
// works without it like the others.
func (h *service) openRedis(ctx context.Context) (err error) {
	if !h.settings.Sandbox { // the library has one logger
		redis.SetLogger(redisLog{h.log})
	}
	if h.redisAt, err = connect.RedisOf(h.settings); err != nil {
		return err
	}
	h.redis, h.hurried = h.redisAt.Client(), h.redisAt.Hurried(api.Patience).Client()
	if err := connect.RedisAnswers(ctx, h.settings, h.redis); err != nil {
		h.log.WithError(err).Warn("Redis does not answer: everything is done, but later")
	} else if err := connect.Evicts(ctx, h.settings, h.redis); err != nil {
		h.log.WithError(err).Warn("Redis loses tasks when it is full")
	}
	return nil
}

func (h *service) close() (err error) {
	if h.webhooks != nil {
		h.webhooks.Close()
	}
	if h.redis != nil {
		err = h.redis.Close()
	}
	if h.hurried != nil {
		err = errors.Join(err, h.hurried.Close())
	}
	if h.desk != nil && h.desk != h.store {
		err = errors.Join(err, h.desk.DB.Close())
	}
	if h.readDB != nil {
		err = errors.Join(err, h.readDB.Close())
	}
	if h.db != nil {
		err = errors.Join(err, h.db.Close())
	}
	return err
}

// workers makes the handlers of all work.
func (h *service) workers() *workers.Workers {
	return workers.New(workers.Options{Store: h.store, Networks: h.networks, Bell: h.bell, Secrets: h.vault, Seals: h.seals, Webhooks: h.webhooks, Log: h.log,
		Follow: follow.Pace{Busy: followBusy, Idle: followIdle}, Prices: h.priceSources(), Mail: h.mailer(), Base: string(h.settings.PublicBaseURL),
		Console: strings.TrimSuffix(string(h.settings.ConsoleBaseURL), "/"), WebhooksKept: int(h.settings.WebhooksKept),
		EmailsKept: int(h.settings.EmailsKept)})
}

// mailer hands mails to the mail server of the settings; nil without one.
func (h *service) mailer() tell.Mailer {
	if h.settings.SMTP.Server == nil {
		return nil
	}
	return message.NewMailer(h.settings.SMTP.Server, h.settings.MailFrom.Address)
}

// onChain makes the operator's acts on networks. The store has the operator's rights.
func (h *service) onChain(s *store.Store) *onchain.Operator {
	return &onchain.Operator{Desk: &desk.Desk{Store: s, Networks: h.networks, Bell: h.bell, Log: h.log}, Catalogue: new(catalogue.Catalogue)}
}

// openOnChain opens a service for a command that asks a network. Its log is not shown.
func openOnChain(ctx context.Context, s *settings.Settings) (*onchain.Operator, func() error, error) {
	h, err := openService(ctx, s, io.Discard, migrations.OperatorRole)
	if err != nil {
		return nil, nil, err
	}
	return h.onChain(h.store), h.close, nil
}

// plan adds the permanent jobs wherever they are missing.
func (h *service) plan(ctx context.Context) error {
	names := make([]string, 0, len(pay.Networks))
	for _, n := range h.networks.All() {
		names = append(names, n.Name)
	}
	return scheduler.Plan(ctx, h.store, names)
}
