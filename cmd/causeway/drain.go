package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// drain lets a server leave without dropping a request. When told to stop, it first reports that it is not ready and goes
// on serving, so a load balancer takes it off its list; each answer closes its connection. Then it takes no more
// connections and finishes the open requests.
type drain struct {
	handler http.Handler
	leaving *atomic.Bool  // readiness looks at it
	last    time.Duration // how long it still serves
}

// ServeHTTP implements http.Handler.
func (d *drain) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if d.leaving.Load() {
		w.Header().Set("Connection", "close")
	}
	d.handler.ServeHTTP(w, r)
}

// serve listens at once and serves until ctx ends and everything is answered, within the grace period. Setting is named
// where it cannot listen.
func (d *drain) serve(ctx context.Context, g *errgroup.Group, setting string, server *http.Server) error {
	listener, err := net.Listen("tcp", server.Addr)
	if err != nil {
		return fmt.Errorf("%s: cannot listen: %w", setting, err)
	}
	g.Go(func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("%s: %w", setting, err)
		}
		return nil
	})
	g.Go(func() error {
		<-ctx.Done()
		d.leaving.Store(true)
		time.Sleep(d.last)
		return d.shutdown(context.WithoutCancel(ctx), server)
	})
	return nil
}

// shutdown finishes the open requests. Requests longer than the grace period (a profile, a live page) are cut off.
func (d *drain) shutdown(ctx context.Context, server *http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, gracePeriod-d.last)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	}
	return err
}

// errLeaving is the reason that readiness gives when the process was told to stop.
var errLeaving = errors.New("it was told to stop")

func (h *service) stays(context.Context) error {
	if h.leaving.Load() {
		return errLeaving
	}
	return nil
}
