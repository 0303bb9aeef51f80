package devstack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

const (
	startLimit  = 3 * time.Minute // a start on a busy machine, with recovery of a crashed server
	logLimit    = 8 << 20         // bytes of a server's log kept between starts
	retryPause  = 200 * time.Millisecond
	maxAttempts = 10
)

// leftoverSignals end a server without an owner: first in order, then at once.
var leftoverSignals = map[string][]syscall.Signal{
	postgresName: {syscall.SIGINT, syscall.SIGQUIT},
	redisName:    {syscall.SIGTERM},
	poolerName:   {syscall.SIGTERM},
}

// startWithRetries tries again when a server dies while starting: the port may
// have been taken in between, or children of a killed server may still be
// letting go of its memory.
func startWithRetries(ctx context.Context, attempt func() error) error {
	for tries := 1; ; tries++ {
		err := attempt()
		if err == nil || !errors.Is(err, errDied) || tries == maxAttempts {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(retryPause):
		}
	}
}

// await returns when ready says so, or with an error when the server has ended,
// the caller gives up or the start takes too long.
func (p *process) await(ctx context.Context, ready func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	ticks := time.NewTicker(poll)
	defer ticks.Stop()
	for !ready() {
		select {
		case <-p.done:
			return fmt.Errorf("%w: %v", errDied, p.cmd.ProcessState)
		case <-ctx.Done():
			return fmt.Errorf("server is not ready: %w", ctx.Err())
		case <-ticks.C:
		}
	}
	return nil
}

// openLog opens the server's log for appending and starts it anew when it has
// grown too long.
func openLog(p *place) (*os.File, error) {
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if info, err := os.Stat(p.path("server.log")); err == nil && info.Size() > logLimit {
		flags |= os.O_TRUNC
	}
	return os.OpenFile(p.path("server.log"), flags, 0o600)
}

// tailLog is the end of the server's log, as the reason why it did not start.
func tailLog(p *place) error {
	content, err := os.ReadFile(p.path("server.log"))
	if err != nil {
		return err
	}
	return fmt.Errorf("%s ends with: %s", p.path("server.log"), lastLines(string(content)))
}

func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}
