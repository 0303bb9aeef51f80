package devstack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
)

const poolerName = "pgbouncer"

// Pooler is a private pgbouncer in its transaction mode before a PostgreSQL.
type Pooler struct {
	opts    Options
	pool    Pool
	who     identity
	place   *place
	sockets string // directory of its Unix socket
	port    int
	process *process
}

// Pool says what a pooler stands before.
type Pool struct {
	Server   string   // address of the PostgreSQL through its Unix socket (SocketURL)
	Users    []string // who may connect; the socket is open to the servers' user alone
	Sessions int      // of the server, at most, for one user in one database
}

// StartPooler starts a pgbouncer and returns when it takes queries. Clients reach it through a Unix socket only.
func StartPooler(ctx context.Context, opts Options, pool Pool) (*Pooler, error) {
	p := &Pooler{opts: opts, pool: pool}
	if err := p.Restart(ctx); err != nil {
		return nil, fmt.Errorf("private pgbouncer: %w", err)
	}
	return p, nil
}

// Restart starts the pooler again after Stop or Crash, at the same address.
func (p *Pooler) Restart(ctx context.Context) (err error) {
	if p.process != nil {
		return errRunning
	}
	program, err := findPooler()
	if err != nil {
		return err
	}
	if p.who, err = ordinaryUser(); err != nil {
		return err
	}
	if p.place, err = claim(p.opts, p.who, poolerName); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			p.place.release()
		}
	}()
	if err := clearLeftover(p.place, leftoverSignals[poolerName]); err != nil {
		return err
	}
	if err := p.who.own(p.place.data()); err != nil {
		return err
	}
	return startWithRetries(ctx, func() error { return p.attempt(ctx, program) })
}

// Stop ends the pooler. The connections through it are lost.
func (p *Pooler) Stop() error { return p.end(syscall.SIGTERM) }

// Crash ends the pooler at once, as a failure would.
func (p *Pooler) Crash() error { return p.end() }

func (p *Pooler) end(signals ...syscall.Signal) error {
	if p.process == nil {
		return nil
	}
	defer p.place.release()
	err := p.process.stop(signals...)
	p.process = nil
	_ = os.RemoveAll(p.sockets)
	return err
}

// URL is the address of a database by way of the pooler, for a user allowed to connect.
func (p *Pooler) URL(user, database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(user), Path: "/" + database,
		RawQuery: "host=" + url.QueryEscape(p.sockets) + "&port=" + strconv.Itoa(p.port)}
	return u.String()
}

func (p *Pooler) attempt(ctx context.Context, program string) error {
	access, err := loadAccess(p.place)
	if err != nil {
		return err
	}
	p.port = access.Port
	if p.sockets, err = socketDir(p.who, p.place); err != nil {
		return err
	}
	settings, err := p.write()
	if err != nil {
		return err
	}
	log, err := openLog(p.place)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := p.who.command(p.place.data(), program, settings)
	cmd.Stdout, cmd.Stderr = log, log
	process, err := launch(cmd, syscall.SIGTERM)
	if err != nil {
		return err
	}
	if err := process.await(ctx, func() bool { return p.answers(ctx) }); err != nil {
		return errors.Join(err, process.stop(), tailLog(p.place))
	}
	p.process = process
	return nil
}

// answers is true once the pooler answers by itself, in the database of its own.
func (p *Pooler) answers(ctx context.Context) bool {
	config, err := pgx.ParseConfig(p.URL(p.pool.Users[0], poolerName))
	if err != nil {
		return false
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return false
	}
	_, err = conn.Exec(ctx, "show version")
	return errors.Join(err, conn.Close(ctx)) == nil
}

// write writes the pooler's files into the directory of its own, and returns the one with its settings.
func (p *Pooler) write() (string, error) {
	server, err := pgx.ParseConfig(p.pool.Server)
	if err != nil {
		return "", err
	}
	users := ""
	for _, user := range p.pool.Users {
		users += `"` + user + `" ""` + "\n"
	}
	file := func(name string) string { return filepath.Join(p.place.data(), name) }
	settings := []string{
		"[databases]", fmt.Sprintf("* = host=%s port=%d", server.Host, server.Port),
		"[pgbouncer]", "pool_mode = transaction", "listen_addr =", "listen_port = " + strconv.Itoa(p.port), "unix_socket_dir = " + p.sockets,
		"auth_type = trust", "auth_file = " + file("users.txt"), "stats_users = " + p.pool.Users[0], "pidfile = " + file("pgbouncer.pid"),
		"max_client_conn = 2000", "default_pool_size = " + strconv.Itoa(p.pool.Sessions),
		"log_connections = 0", "log_disconnections = 0",
	}
	for name, content := range map[string]string{"users.txt": users, "pgbouncer.ini": strings.Join(settings, "\n") + "\n"} {
		if err := errors.Join(os.WriteFile(file(name), []byte(content), 0o600), p.who.give(file(name))); err != nil {
			return "", err
		}
	}
	return file("pgbouncer.ini"), nil
}

// findPooler is the program pgbouncer.
func findPooler() (string, error) {
	if program := os.Getenv("PGBOUNCER"); program != "" {
		return program, nil
	}
	if program, err := exec.LookPath(poolerName); err == nil {
		return program, nil
	}
	for _, dir := range []string{"/usr/sbin", "/opt/homebrew/bin", "/usr/local/bin"} {
		if program := filepath.Join(dir, poolerName); executable(program) {
			return program, nil
		}
	}
	return "", missing("pgbouncer", poolerName, poolerName, "PGBOUNCER to its path")
}
