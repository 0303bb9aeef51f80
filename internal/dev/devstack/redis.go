package devstack

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"syscall"
	"time"
)

const redisName = "redis"

// Redis is a private Redis server. It never evicts keys (`maxmemory-policy
// noeviction`), as Asynq needs.
type Redis struct {
	// URL reaches logical database 0 on a loopback port, with the password.
	URL string

	role    redisRole
	opts    Options
	who     identity
	place   *place
	process *process
}

// StartRedis starts a private Redis and returns when it takes commands.
func StartRedis(ctx context.Context, opts Options) (*Redis, error) {
	return startRedis(ctx, opts, redisRole{name: redisName})
}

// redisRole is the part of a server among several.
type redisRole struct {
	name     string   // of its place
	password string   // the same for all; "" = one of its own
	lines    []string // of its configuration, after the usual ones
	sentinel bool     // it holds no data: it watches servers, and keeps its configuration in a file
}

func startRedis(ctx context.Context, opts Options, role redisRole) (*Redis, error) {
	r := &Redis{opts: opts, role: role}
	if err := r.Restart(ctx); err != nil {
		return nil, fmt.Errorf("private Redis: %w", err)
	}
	return r, nil
}

// Restart starts the server again after Stop or Crash, at the same address
// unless another program has taken the port.
func (r *Redis) Restart(ctx context.Context) (err error) {
	if r.process != nil {
		return errRunning
	}
	program, err := findRedis()
	if err != nil {
		return err
	}
	if r.who, err = ordinaryUser(); err != nil {
		return err
	}
	if r.place, err = claim(r.opts, r.who, r.role.name); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			r.place.release()
		}
	}()
	if err := clearLeftover(r.place, leftoverSignals[redisName]); err != nil {
		return err
	}
	if err := r.who.own(r.place.data()); err != nil {
		return err
	}
	return startWithRetries(ctx, func() error { return r.attempt(ctx, program) })
}

// Stop ends the server in order; a durable one has written everything.
func (r *Redis) Stop() error { return r.end(syscall.SIGTERM) }

// Crash ends the server at once, as a failure would.
func (r *Redis) Crash() error { return r.end() }

// Dir is the directory with the server's log and data.
func (r *Redis) Dir() string { return r.place.dir }

func (r *Redis) end(signals ...syscall.Signal) error {
	if r.process == nil {
		return nil
	}
	defer r.place.release()
	err := r.process.stop(signals...)
	r.process = nil
	return err
}

// attempt starts the server once on its kept port.
func (r *Redis) attempt(ctx context.Context, program string) error {
	access, err := loadAccess(r.place)
	if err != nil {
		return err
	}
	access.Password = cmp.Or(r.role.password, access.Password)
	log, err := openLog(r.place)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := r.who.command(r.place.data(), program, "-")
	cmd.Stdin = strings.NewReader(r.configuration(access))
	if r.role.sentinel {
		if cmd, err = r.sentinelCommand(program, access); err != nil {
			return err
		}
	}
	cmd.Stdout, cmd.Stderr = log, log
	process, err := launch(cmd, syscall.SIGTERM)
	if err != nil {
		return err
	}
	address := url.URL{Scheme: "redis", User: url.UserPassword("", access.Password), Host: access.address(), Path: "/0"}
	r.URL = address.String()
	if err := process.await(ctx, func() bool { return answersPing(access) }); err != nil {
		return errors.Join(err, process.stop(), tailLog(r.place))
	}
	r.process = process
	return nil
}

// configuration goes in through standard input: the password is in no file and
// in no process list.
func (r *Redis) configuration(a access) string {
	databases := r.opts.RedisDatabases
	if databases == 0 {
		databases = 16
	}
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	lines := []string{
		"bind 127.0.0.1", fmt.Sprintf("port %d", a.Port), "requirepass " + a.Password,
		`dir "` + quote.Replace(r.place.data()) + `"`, "pidfile redis.pid", "daemonize no",
		"maxmemory-policy noeviction", fmt.Sprintf("databases %d", databases),
		`save ""`, "always-show-logo no",
	}
	if r.opts.Durable {
		lines = append(lines, "appendonly yes", "appendfsync everysec")
	}
	return strings.Join(append(lines, r.role.lines...), "\n") + "\n"
}

// answersPing is true once the server has loaded its data and takes commands.
func answersPing(a access) bool {
	conn, err := net.DialTimeout("tcp4", a.address(), time.Second)
	if err != nil {
		return false
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return false
	}
	if _, err := fmt.Fprintf(conn, "AUTH %s\r\nPING\r\n", a.Password); err != nil {
		return false
	}
	replies := bufio.NewReader(conn)
	for _, want := range []string{"+OK\r\n", "+PONG\r\n"} {
		if got, err := replies.ReadString('\n'); err != nil || got != want {
			return false
		}
	}
	return true
}
