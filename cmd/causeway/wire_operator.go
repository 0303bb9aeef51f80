package main

import (
	"context"
	"net/http"

	"causeway/internal/cli/connect"
	"causeway/internal/ops/console"
	"causeway/internal/ops/operator"
	"causeway/migrations"
)

// alive answers 200 as long as this process serves, and tells whether the sandbox beside it can be used.
func (h *service) alive() http.Handler {
	if h.beside == nil {
		return operator.Alive()
	}
	return operator.Alive(h.beside.check())
}

// ready returns whether this process can be of use: database, Redis and schema.
func (h *service) ready() http.Handler { return operator.Ready(h.log, h.checks()...) }

func (h *service) checks() []operator.Check {
	checks := []operator.Check{
		{Name: "database", Ask: h.db.PingContext},
		{Name: "redis", Ask: h.bell.Takes},
		{Name: "process", Ask: h.stays, Here: true},
		{Name: "schema", Ask: func(ctx context.Context) error { return migrations.Ready(ctx, h.db) }},
	}
	if h.dev != nil {
		checks = append(checks, operator.Check{Name: "dev.json", Ask: h.dev.Ready, Here: true})
	}
	if h.beside != nil {
		checks = append(checks, h.beside.check())
	}
	return checks
}

// operatorHandler is the operator port, with a console where desk is one. Where there is a demo merchant there is its webhook inbox.
func (h *service) operatorHandler(desk *console.Console) *operator.Handler {
	d := operator.Deps{Store: h.store, Redis: h.redisAt, Checks: h.checks(), Live: h.networks.Live(),
		HeaderPrefix: string(h.settings.HeaderPrefix), Log: h.log}
	for _, n := range h.networks.All() {
		d.Networks = append(d.Networks, operator.Network{Name: n.Name, Kind: n.Kind, Nodes: n.Nodes})
	}
	d.Told = append(d.Told, func(ctx context.Context) error { return connect.Evicts(ctx, h.settings, h.redis) })
	if h.live() {
		d.Told = append(d.Told, func(ctx context.Context) error { return connect.Forgets(ctx, h.settings, h.db) })
	}
	d.Console = noConsole{}
	if desk != nil {
		d.Console = desk
	}
	if h.dev != nil {
		d.Verify = h.dev.VerifyInbox
	}
	return operator.New(d)
}
