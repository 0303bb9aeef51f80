// Package devstack runs a private PostgreSQL and a private Redis from the
// binaries on this machine, for `causeway dev` and for the tests.
//
// Each server has its own directory, listens on a loopback port behind a random
// password, runs as an ordinary user even when the caller is root, and ends with
// its owner. Whatever a crash leaves behind is cleared away by the next start.
package devstack

import (
	"context"
	"errors"
)

// Options says where private servers keep their data and how safe it must be.
type Options struct {
	// DataDir holds one folder per server; it is created when missing. When the user of
	// the servers cannot reach it (a checkout under a 0700 home, started by root), a
	// folder of the same meaning in the system's temporary directory is used instead.
	// The choice is the same on every start.
	DataDir string
	// Durable makes both servers survive a power cut (fsync, append-only file).
	// Without it they are faster and keep data only over an orderly stop.
	Durable bool
	// Replicated lets other PostgreSQL servers follow this one.
	Replicated bool
	// RedisDatabases is the number of logical Redis databases; 0 means 16.
	RedisDatabases int
	// Log receives a line for each slow or unusual step; nil drops them.
	Log func(string)
}

func (o Options) log(line string) {
	if o.Log != nil {
		o.Log(line)
	}
}

// Stack is a running PostgreSQL with its Redis.
type Stack struct {
	// DatabaseURL and RedisURL carry passwords; write them only to files of mode 0600.
	DatabaseURL, RedisURL string

	Postgres *Postgres
	Redis    *Redis
}

// Start starts both servers, side by side, and returns when both answer; ctx limits
// only the start. On an error nothing is left running.
func Start(ctx context.Context, opts Options) (*Stack, error) {
	type redisResult struct {
		server *Redis
		err    error
	}
	other := make(chan redisResult, 1)
	go func() {
		server, err := StartRedis(ctx, opts)
		other <- redisResult{server, err}
	}()
	postgres, err := StartPostgres(ctx, opts)
	redis := <-other
	s := &Stack{Postgres: postgres, Redis: redis.server}
	if err := errors.Join(err, redis.err); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	s.DatabaseURL, s.RedisURL = postgres.URL, redis.server.URL
	return s, nil
}

// Stop ends both servers in order and waits for them; data stays for the next start.
func (s *Stack) Stop() error {
	var err error
	if s.Redis != nil {
		err = s.Redis.Stop()
	}
	if s.Postgres != nil {
		err = errors.Join(err, s.Postgres.Stop())
	}
	return err
}

// Remove deletes the data of all servers of a data directory, wherever
// Options.DataDir made them live. It fails while their owner is running.
func Remove(opts Options) error {
	who, err := ordinaryUser()
	if err != nil {
		return err
	}
	for _, name := range []string{postgresName, redisName, poolerName} {
		if err := removePlace(opts, who, name); err != nil {
			return err
		}
	}
	return nil
}
