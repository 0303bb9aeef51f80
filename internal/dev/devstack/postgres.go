package devstack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
)

const (
	postgresName = "postgres"
	databaseName = "causeway" // also the role
)

// Postgres is a private PostgreSQL server.
type Postgres struct {
	// URL reaches the database "causeway" on a loopback port, with the password.
	URL string
	// SocketURL reaches it through a Unix socket open to its user alone, without a
	// password and without the cost of checking one.
	SocketURL string

	of      *Postgres // the primary that it follows; nil: it is one
	opts    Options
	who     identity
	place   *place
	sockets string // directory of the Unix socket
	process *process
}

// StartPostgres starts a private PostgreSQL and returns when it takes queries.
func StartPostgres(ctx context.Context, opts Options) (*Postgres, error) {
	p := &Postgres{opts: opts}
	if err := p.Restart(ctx); err != nil {
		return nil, fmt.Errorf("private PostgreSQL: %w", err)
	}
	return p, nil
}

// StartReplica starts a PostgreSQL that follows another one, made with Options.Replicated, from a copy of its data.
func StartReplica(ctx context.Context, opts Options, of *Postgres) (*Postgres, error) {
	p := &Postgres{opts: opts, of: of}
	if err := p.Restart(ctx); err != nil {
		return nil, fmt.Errorf("replica of a private PostgreSQL: %w", err)
	}
	return p, nil
}

// Restart starts the server again after Stop or Crash, at the same address
// unless another program has taken the port.
func (p *Postgres) Restart(ctx context.Context) (err error) {
	if p.process != nil {
		return errRunning
	}
	if p.who, err = ordinaryUser(); err != nil {
		return err
	}
	if p.place, err = claim(p.opts, p.who, postgresName); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			p.place.release()
		}
	}()
	if err := clearLeftover(p.place, leftoverSignals[postgresName]); err != nil {
		return err
	}
	bin, err := findPostgres(p.place.data())
	if err != nil {
		return err
	}
	if err := p.initialise(bin); err != nil {
		return err
	}
	return startWithRetries(ctx, func() error { return p.attempt(ctx, bin) })
}

// Stop ends the server in order: open transactions are rolled back, data is
// written out.
func (p *Postgres) Stop() error { return p.end(syscall.SIGINT, syscall.SIGQUIT) }

// Crash ends the server at once, as a failure would; the next start recovers.
func (p *Postgres) Crash() error { return p.end(syscall.SIGQUIT) }

// Dir is the directory with the server's log and data.
func (p *Postgres) Dir() string { return p.place.dir }

func (p *Postgres) end(signals ...syscall.Signal) error {
	if p.process == nil {
		return nil
	}
	defer p.place.release()
	err := p.process.stop(signals...)
	p.process = nil
	_ = os.RemoveAll(p.sockets)
	return err
}

// initialise creates the cluster when there is none. It is built beside its place
// and moved there: an interrupted attempt is not taken for data.
func (p *Postgres) initialise(bin string) error {
	if _, err := os.Stat(filepath.Join(p.place.data(), "PG_VERSION")); err == nil {
		return nil
	}
	p.opts.log("creating a PostgreSQL cluster in " + p.place.dir)
	fresh := p.place.unfinished()
	for _, dir := range []string{fresh, p.place.data()} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	if err := p.who.own(fresh); err != nil {
		return err
	}
	if p.of != nil {
		return p.copy(bin, fresh)
	}
	args := []string{"-D", fresh, "-U", databaseName, "-A", "trust", "-E", "UTF8", "--locale=C"}
	if !p.opts.Durable {
		args = append(args, "--no-sync")
	}
	cmd := p.who.command(fresh, filepath.Join(bin, "initdb"), args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, lastLines(string(out)))
	}
	if err := os.WriteFile(filepath.Join(fresh, "pg_hba.conf"), []byte(hostRules), 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, p.place.data())
}

// copy takes the primary's data, with what it needs to follow it.
func (p *Postgres) copy(bin, fresh string) error {
	cmd := p.who.command(p.place.dir, filepath.Join(bin, "pg_basebackup"), "-d", p.of.SocketURL, "-D", fresh, "-R", "--checkpoint=fast", "--no-sync")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pg_basebackup: %w: %s", err, lastLines(string(out)))
	}
	return os.Rename(fresh, p.place.data())
}

// hostRules: the socket is guarded by its directory, the port by the password.
const hostRules = `local all all trust
local replication all trust
host all all 127.0.0.1/32 scram-sha-256
`

// attempt starts the server once on its kept port.
func (p *Postgres) attempt(ctx context.Context, bin string) error {
	access, err := loadAccess(p.place)
	if err != nil {
		return err
	}
	if p.sockets, err = socketDir(p.who, p.place); err != nil {
		return err
	}
	log, err := openLog(p.place)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := p.who.command(p.place.data(), filepath.Join(bin, "postgres"), p.arguments(access)...)
	cmd.Stdout, cmd.Stderr = log, log
	process, err := launch(cmd, syscall.SIGINT)
	if err != nil {
		return err
	}
	p.URL = postgresURL(url.UserPassword(databaseName, p.password(access)), access.address(), "sslmode=disable")
	p.SocketURL = postgresURL(url.User(databaseName), "", "host="+url.QueryEscape(p.sockets)+"&port="+strconv.Itoa(access.Port))
	err = process.await(ctx, func() bool { return p.ready(process.cmd.Process.Pid) })
	if err == nil && p.of == nil {
		err = p.prepare(ctx, access.Password)
	}
	if err != nil {
		return errors.Join(err, process.stop(syscall.SIGQUIT), tailLog(p.place))
	}
	p.process = process
	return nil
}

// password is that of the primary, whose roles a replica has.
func (p *Postgres) password(own access) string {
	if p.of == nil {
		return own.Password
	}
	of, err := url.Parse(p.of.URL)
	if err != nil {
		panic(fmt.Sprintf("address of the primary: %v", err))
	}
	password, _ := of.User.Password()
	return password
}

func postgresURL(who *url.Userinfo, host, query string) string {
	u := url.URL{Scheme: "postgres", User: who, Host: host, Path: "/" + databaseName, RawQuery: query}
	return u.String()
}

// arguments are the server's settings: small, in UTC, quiet.
func (p *Postgres) arguments(a access) []string {
	settings := []string{
		"listen_addresses=127.0.0.1", "port=" + strconv.Itoa(a.Port),
		"unix_socket_directories=" + p.sockets,
		"shared_buffers=64MB", "max_wal_size=256MB", "min_wal_size=32MB",
		"timezone=UTC", "log_timezone=UTC", "log_checkpoints=off",
	}
	if p.opts.Replicated || p.of != nil {
		settings = append(settings, "wal_level=replica", "max_wal_senders=4")
	} else {
		settings = append(settings, "wal_level=minimal", "max_wal_senders=0")
	}
	if p.opts.Durable {
		settings = append(settings, "max_connections=200", "synchronous_commit=on")
	} else {
		settings = append(settings, "max_connections=400", "fsync=off", "full_page_writes=off")
	}
	args := []string{"-D", p.place.data()}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	return args
}

// ready reads the server's own word in the eighth line of its pid file.
func (p *Postgres) ready(pid int) bool {
	content, err := os.ReadFile(filepath.Join(p.place.data(), "postmaster.pid"))
	if err != nil {
		return false
	}
	lines := strings.Split(string(content), "\n")
	return len(lines) > 7 && lines[0] == strconv.Itoa(pid) && strings.TrimSpace(lines[7]) == "ready"
}

// prepare sets the password and makes the database, where it is missing.
func (p *Postgres) prepare(ctx context.Context, password string) error {
	config, err := pgx.ParseConfig(p.SocketURL)
	if err != nil {
		return err
	}
	config.Database = "postgres"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "alter role "+databaseName+" password '"+password+"'"); err != nil {
		return err
	}
	var exists bool
	const look = "select exists (select from pg_database where datname = $1)"
	if err := conn.QueryRow(ctx, look, databaseName).Scan(&exists); err != nil || exists {
		return err
	}
	_, err = conn.Exec(ctx, "create database "+databaseName)
	return err
}
