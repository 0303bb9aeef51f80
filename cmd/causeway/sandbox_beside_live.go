package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"
	"golang.org/x/sync/errgroup"

	"causeway/internal/cli/connect"
	"causeway/internal/cli/devcmd"
	"causeway/internal/cli/rolelog"
	"causeway/internal/cli/settings"
	"causeway/internal/ops/operator"
)

const (
	besideRetry = 5 * time.Second // before a failed sandbox is opened again
	besidePoll  = time.Second     // between two polls of its database
	besideWait  = 2 * time.Second // for one of them
)

// beside is the sandbox beside the live networks of this process (docs/decisions/0019-sandbox-beside-live.md). A failure
// there is logged, and the sandbox tried again; it ends nothing live, and nothing live waits for it.
type beside struct {
	settings *settings.Settings
	live     *service
	role     role
	stderr   io.Writer
	log      logrus.FieldLogger
	service  atomic.Pointer[service] // once it is open
	answers  atomic.Bool             // its database did when it was last looked at
	ended    chan struct{}
}

// openBeside begins to run a role in the sandbox until ctx ends; close waits for the end. Settings may be nil: there is no
// sandbox.
func openBeside(ctx context.Context, live *service, s *settings.Settings, r role, stderr io.Writer) *beside {
	if s == nil {
		return nil
	}
	b := &beside{settings: s, live: live, role: r, stderr: stderr, log: rolelog.New(s, stderr), ended: make(chan struct{})}
	go func() {
		defer close(b.ended)
		b.run(ctx)
	}()
	return b
}

func (b *beside) run(ctx context.Context) {
	for ctx.Err() == nil {
		err := b.once(ctx)
		if ctx.Err() != nil {
			return
		}
		b.log.WithError(err).Error("the sandbox cannot be used and is tried again; live networks go on")
		select {
		case <-ctx.Done():
		case <-time.After(besideRetry):
		}
	}
}

// once opens the sandbox and runs the role in it. When ctx has ended the service stays open: the front shared with
// live books still answers.
func (b *beside) once(ctx context.Context) error {
	h, err := openService(ctx, b.settings, b.stderr, b.role.as)
	if err != nil {
		return err
	}
	// Each worker would take the tasks of the other's books, find no job for them, and drop them.
	if connect.SameRedis(ctx, b.live.redisAt, h.redisAt, besideWait) {
		return errors.Join(errors.New("SANDBOX_REDIS_URL is the database of REDIS_URL by another name: a sandbox needs one of its own"), h.close())
	}
	g, running := errgroup.WithContext(ctx)
	if err = b.role.inSandbox(running, g, h); err == nil {
		err = h.serveOperator(running, g, devcmd.Door{Setting: "SANDBOX_OPERATOR_ADDR", Addr: string(b.settings.OperatorAddr)}, true)
	}
	if err != nil {
		g.Go(func() error { return err }) // ends everything started already
	} else {
		b.answers.Store(true)
		b.service.Store(h)
		g.Go(func() error { b.watch(running, h); return nil })
	}
	err = g.Wait()
	if ctx.Err() != nil && b.service.Load() == h {
		return err
	}
	b.service.Store(nil)
	return errors.Join(err, h.close())
}

// watch polls the sandbox's database, so requests need not find out one by one that it is away.
func (b *beside) watch(ctx context.Context, h *service) {
	tick := time.NewTicker(besidePoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		looking, cancel := context.WithTimeout(ctx, besideWait)
		err := h.db.PingContext(looking)
		cancel()
		if was := b.answers.Swap(err == nil); was == (err == nil) || ctx.Err() != nil {
			continue
		}
		if err != nil {
			b.log.WithError(err).Error("the sandbox's database does not answer; live networks go on")
			continue
		}
		b.log.Info("the sandbox's database answers again")
	}
}

// front returns the handler for requests of the sandbox; nil while the sandbox cannot be used.
func (b *beside) front() http.Handler {
	if h := b.service.Load(); h != nil && b.answers.Load() {
		return h.front
	}
	return nil
}

var errSandboxAway = errors.New("it is not open, or its database does not answer")

// check tells of the sandbox without asking it anything.
func (b *beside) check() operator.Check {
	return operator.Check{Name: "sandbox", Aside: true, Ask: func(context.Context) error {
		if b.service.Load() == nil || !b.answers.Load() {
			return errSandboxAway
		}
		return nil
	}}
}

// close waits until the sandbox has ended and closes its open service.
func (b *beside) close() error {
	if b == nil {
		return nil
	}
	<-b.ended
	if h := b.service.Load(); h != nil {
		return h.close()
	}
	return nil
}
