package main

import (
	"context"

	"golang.org/x/sync/errgroup"

	"causeway/internal/cli/devcmd"
	"causeway/internal/cli/settings"
	"causeway/migrations"
	"causeway/tasks"
)

// openDev opens the service for causeway dev, where one process has every role.
func (p *program) openDev(ctx context.Context, s *settings.Settings, d *devcmd.Dev) (*devcmd.Installation, error) {
	h, err := openService(ctx, s, p.Stderr, migrations.DevRole)
	if err != nil {
		return nil, err
	}
	h.dev = d
	return &devcmd.Installation{Store: h.store, Vault: h.vault, DB: h.db, Networks: h.networks, Start: h.startAll, Close: h.close}, nil
}

// startAll starts every role.
func (h *service) startAll(ctx context.Context, g *errgroup.Group, api, operator devcmd.Door) error {
	if err := h.serveAPI(ctx, g, api, 0); err != nil {
		return err
	}
	if err := h.serveOperator(ctx, g, operator, false); err != nil {
		return err
	}
	if err := h.schedule(ctx, g); err != nil {
		return err
	}
	g.Go(func() error { h.watchNodes(ctx); return nil })
	return h.work(ctx, g, tasks.Weights)
}
