package main

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"causeway/api"
	"causeway/internal/ops/console"
	"causeway/internal/pay"
	"causeway/workers"
)

// noConsole stands where a process may not act as the operator: what a login would open stays shut.
type noConsole struct{}

// ServeHTTP implements http.Handler.
func (noConsole) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "This process has no console, since it may not act as the operator (OPERATOR_DATABASE_URL). The console is on the operator port of one that may.",
		http.StatusForbidden)
}

// Guard implements operator.Console.
func (c noConsole) Guard(http.Handler, string) http.Handler { return c }

// deskWorkers does operators' acts that ask a network, with the operator's rights.
func (h *service) deskWorkers() *workers.Workers {
	w := h.workers()
	w.Store = h.desk
	return w
}

// console makes what operators work with; nil where this process may not act as the operator.
func (h *service) console() *console.Console {
	if h.desk == nil {
		return nil
	}
	origins := api.NewOrigins(h.settings.TrustedProxies)
	d := console.Deps{
		Store:   h.desk,
		Vault:   h.vault,
		Log:     h.log,
		Live:    h.networks.Live(),
		Origin:  origins.Origin,
		Inbox:   h.dev != nil,
		Sandbox: h.settings.Sandbox,

		LiveBooks: h.live(),
	}
	for _, n := range h.networks.All() {
		d.Networks = append(d.Networks, console.Network{Name: n.Name, Kind: n.Kind, Hot: n.HotAddress()})
	}
	d.ResumeNetwork = func(ctx context.Context, actor, network string, from int64) (transfers, transactions int, err error) {
		done, err := h.deskWorkers().ResumeNetwork(ctx, actor, network, from)
		if err != nil {
			return 0, 0, err
		}
		return done.Transfers, done.Transactions, nil
	}
	d.ResumeWallet = func(ctx context.Context, actor, network string, unexplained int64) (spends int, err error) {
		done, err := h.deskWorkers().ResumeWallet(ctx, actor, network, unexplained, 0)
		if err != nil {
			return 0, err
		}
		return len(done.Unknown), nil
	}
	d.BookSpend = func(ctx context.Context, actor, network, txid string) (payout uuid.UUID, now pay.PayoutStatus, err error) {
		done, err := h.deskWorkers().BookSpend(ctx, actor, network, txid)
		if err != nil {
			return payout, now, err
		}
		return done.Payout, done.Status, nil
	}
	d.DecidePayout = func(ctx context.Context, actor string, payout uuid.UUID, completed bool) (now pay.PayoutStatus, err error) {
		done, err := h.deskWorkers().DecidePayout(ctx, actor, payout, completed)
		if err != nil {
			return now, err
		}
		return done.Status, nil
	}
	d.DismissSpend = func(ctx context.Context, actor, network, txid string) error {
		_, err := h.deskWorkers().DismissSpend(ctx, actor, network, txid)
		return err
	}
	if h.dev != nil {
		d.Demo = h.dev.Login
	}
	return console.New(d)
}
