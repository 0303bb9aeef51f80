// Command causeway is the whole product in one binary: the serving roles, the operator's commands, and a complete
// installation on one machine by `causeway dev` (operator §Roles).
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/redis/go-redis/v9"
)

// version is set when the binary is linked.
var version = "unknown"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	redis.SetLogger(silentRedis{})
	code := Run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Run runs one command to its end and returns the exit code: 0, 1 with one line on stderr saying why, or 2 for a
// senseless command line (operator). Settings come from the environment. Roles end when ctx does.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return newProgram(os.Environ(), stdout, stderr).run(ctx, args)
}

// silentRedis drops the Redis client's own words: a command's error has them, and a role has them in its log.
type silentRedis struct{}

// Printf implements the client's logger.
func (silentRedis) Printf(context.Context, string, ...any) {}
