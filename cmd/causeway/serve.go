package main

import (
	"context"
	"net"
	"time"

	"golang.org/x/sync/errgroup"

	"causeway/api"
	"causeway/internal/cli/devcmd"
	"causeway/internal/ops/console"
	"causeway/internal/web/checkout"
)

// openFront makes the handler of /v1 and the payers' pages. Open pages end with ctx.
func (h *service) openFront(ctx context.Context, g *errgroup.Group) {
	operations := h.operations()
	pages := h.checkout(operations)
	g.Go(func() error { pages.Run(ctx); return nil })
	h.front = h.apiHandler(operations, pages)
}

// serveAPI serves the front, and a sandbox's front beside it, until ctx ends; then drain ends them.
func (h *service) serveAPI(ctx context.Context, g *errgroup.Group, at devcmd.Door, leaving time.Duration) error {
	h.openFront(ctx, g)
	d := &drain{handler: h.dev.Guard(h.front, "/v1/"), leaving: &h.leaving, last: leaving}
	if h.beside != nil {
		d.handler = api.WithSandbox(h.front, h.beside.front, string(h.settings.HeaderPrefix), checkout.Prefix)
	}
	return d.serve(ctx, g, at.Setting, api.NewServer(at.Addr, d))
}

// serveOperator serves the operator port. Several roles on one machine share the default address: with optional, a
// role goes without the port if it cannot listen.
func (h *service) serveOperator(ctx context.Context, g *errgroup.Group, at devcmd.Door, optional bool) error {
	desk := h.console()
	handler := h.operatorHandler(desk)
	server := api.NewServer(at.Addr, h.dev.Guard(handler, "/metrics"))
	server.WriteTimeout = 0 // profiles and live pages last longer
	g.Go(func() error { <-ctx.Done(); return handler.Close() })
	err := (&drain{leaving: &h.leaving}).serve(ctx, g, at.Setting, server)
	if err != nil && optional {
		h.log.WithError(err).Warn("this role has no operator port")
		return nil
	}
	if err != nil {
		return err
	}
	return h.tellFirst(ctx, desk, at.Addr)
}

// tellFirst prints the link for the first operator at the first start on live books of a process with a console.
func (h *service) tellFirst(ctx context.Context, desk *console.Console, addr string) error {
	if desk == nil {
		return nil
	}
	link, err := desk.FirstLink(ctx)
	if err != nil || link == "" {
		return err
	}
	if host, port, err := net.SplitHostPort(addr); err == nil && (host == "" || net.ParseIP(host).IsUnspecified()) {
		addr = net.JoinHostPort("127.0.0.1", port)
	}
	h.log.WithField("link", "http://"+addr+link).Warn("there is no operator yet: this link creates the first one; it works once, within a day")
	return nil
}
