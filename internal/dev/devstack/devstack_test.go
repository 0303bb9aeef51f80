package devstack_test

import (
	"bufio"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"causeway/internal/dev/devstack"
)

// ownerEnv makes the test program the owner of a stack, to be killed by a test.
const ownerEnv = "CAUSEWAY_DEVSTACK_TEST_OWNER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(ownerEnv); dir != "" {
		own(dir)
		return
	}
	os.Exit(m.Run())
}

// own starts a stack, prints its addresses and waits to be killed.
func own(dir string) {
	stack, err := devstack.Start(context.Background(), devstack.Options{DataDir: dir, Durable: true})
	if err != nil {
		println(err.Error())
		os.Exit(1)
	}
	os.Stdout.WriteString(stack.DatabaseURL + "\n" + stack.RedisURL + "\n")
	select {}
}

// Covers operator §dev: DATABASE_URL and REDIS_URL are used
func TestDataOutlivesAStop(t *testing.T) {
	t.Parallel()
	opts := options(t)
	stack := start(t, opts)
	query(t, stack.DatabaseURL, "create table kept as select 42 as answer")
	redisDo(t, stack.RedisURL, "set", "kept", "42")
	if err := stack.Stop(); err != nil {
		t.Fatal(err)
	}

	began := time.Now()
	again := start(t, opts)
	t.Logf("warm start took %v", time.Since(began))
	if again.DatabaseURL != stack.DatabaseURL || again.RedisURL != stack.RedisURL {
		t.Error("the servers came back at other addresses")
	}
	if got := query(t, again.Postgres.SocketURL, "select answer::text from kept"); got != "42" {
		t.Errorf("PostgreSQL kept %q", got)
	}
	if got := redisDo(t, again.RedisURL, "get", "kept"); got != "42" {
		t.Errorf("Redis kept %q", got)
	}
}

// Covers operator §Settings: REDIS_URL
func TestSettings(t *testing.T) {
	t.Parallel()
	stack := start(t, options(t))
	for setting, want := range map[string]string{
		"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "max_connections": "200",
		"server_encoding": "UTF8", "TimeZone": "UTC", "listen_addresses": "127.0.0.1",
	} {
		if got := query(t, stack.DatabaseURL, "select current_setting('"+setting+"')"); got != want {
			t.Errorf("%s is %q, want %q", setting, got, want)
		}
	}
	for setting, want := range map[string]string{"maxmemory-policy": "noeviction", "appendonly": "yes", "appendfsync": "everysec"} {
		reply := redisDo(t, stack.RedisURL, "config", "get", setting)
		if !strings.Contains(reply, want) {
			t.Errorf("Redis %s is %q, want %q", setting, reply, want)
		}
	}
}

func TestPasswordIsNeeded(t *testing.T) {
	t.Parallel()
	stack := start(t, options(t))
	for _, address := range []string{stack.DatabaseURL, stack.RedisURL} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.UserPassword(u.User.Username(), "wrong")
		if u.Scheme == "postgres" {
			_, err = pgx.Connect(t.Context(), u.String())
		} else {
			err = ping(t, u.String())
		}
		if err == nil {
			t.Errorf("%s server let a wrong password in", u.Scheme)
		}
	}
}

func TestOneOwnerAtATime(t *testing.T) {
	t.Parallel()
	opts := options(t)
	start(t, opts)
	if second, err := devstack.Start(t.Context(), opts); err == nil {
		second.Stop()
		t.Fatal("a second owner got the same data directory")
	}
}

// Covers operator §dev: DATABASE_URL and REDIS_URL are used
func TestKilledOwnerLeavesNothingInTheWay(t *testing.T) {
	t.Parallel()
	opts := options(t)
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), ownerEnv+"="+opts.DataDir)
	owner.Stderr = os.Stderr
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the owner did not start")
	}
	query(t, lines.Text(), "create table kept as select 42 as answer")
	if err := owner.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait()

	stack := start(t, opts)
	if got := query(t, stack.DatabaseURL, "select answer::text from kept"); got != "42" {
		t.Errorf("kept %q", got)
	}
}

func TestCrashedServersComeBack(t *testing.T) {
	t.Parallel()
	opts := options(t)
	stack := start(t, opts)
	query(t, stack.DatabaseURL, "create table kept as select 42 as answer")
	if err := stack.Postgres.Crash(); err != nil {
		t.Fatal(err)
	}
	if err := stack.Redis.Crash(); err != nil {
		t.Fatal(err)
	}
	if err := ping(t, stack.RedisURL); err == nil {
		t.Error("Redis answers after its end")
	}
	if err := stack.Postgres.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := stack.Redis.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := query(t, stack.DatabaseURL, "select answer::text from kept"); got != "42" {
		t.Errorf("kept %q", got)
	}
	if err := ping(t, stack.RedisURL); err != nil {
		t.Error(err)
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	opts := options(t)
	stack := start(t, opts)
	dir := stack.Postgres.Dir()
	if err := devstack.Remove(opts); err == nil {
		t.Error("data was removed from under a running server")
	}
	if err := stack.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := devstack.Remove(opts); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is still there", dir)
	}
}

// options are those of a new data directory with a space in its path. Root's
// servers cannot enter it, since a test's temporary directory has mode 0700.
func options(t *testing.T) devstack.Options {
	opts := devstack.Options{DataDir: filepath.Join(t.TempDir(), "dev data"), Durable: true}
	t.Cleanup(func() {
		if err := devstack.Remove(opts); err != nil {
			t.Error(err)
		}
	})
	return opts
}

func start(t *testing.T, opts devstack.Options) *devstack.Stack {
	t.Helper()
	stack, err := devstack.Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stack.Stop(); err != nil {
			t.Error(err)
		}
	})
	return stack
}

// query runs one statement and returns the first column of its first row, if any.
func query(t *testing.T, databaseURL, statement string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	rows, err := conn.Query(t.Context(), statement)
	if err != nil {
		t.Fatal(err)
	}
	values, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(values, " ")
}

func redisDo(t *testing.T, redisURL string, args ...any) string {
	t.Helper()
	opts, err := redis.ParseURL(redisURL)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(opts)
	defer client.Close()
	reply, err := client.Do(t.Context(), args...).Result()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(reply)
}

func ping(t *testing.T, redisURL string) error {
	opts, err := redis.ParseURL(redisURL)
	if err != nil {
		t.Fatal(err)
	}
	opts.MaxRetries = -1
	client := redis.NewClient(opts)
	defer client.Close()
	return client.Ping(t.Context()).Err()
}
