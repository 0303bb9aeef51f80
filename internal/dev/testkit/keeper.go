package testkit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"causeway/internal/dev/devstack"
)

const (
	// keeperEnv, when set, makes a test program the keeper of the servers in the
	// directory it names, instead of running its tests.
	keeperEnv = "CAUSEWAY_TESTKIT_KEEPER"
	// linger is how long the servers stay after their last user, for the next package of
	// the same `go test`, or the next run: to make them anew takes seconds. lingerEnv says
	// another time. Only a keeper reads it, so kept results of tests do not depend on it.
	linger    = 15 * time.Second
	lingerEnv = "CAUSEWAY_TESTKIT_LINGER"
	lockPoll  = 10 * time.Millisecond
	// redisDatabases is how many tests can use the shared Redis at once.
	redisDatabases = 4096
)

func init() {
	home := os.Getenv(keeperEnv)
	if home == "" {
		return
	}
	stay, err := time.ParseDuration(cmp.Or(os.Getenv(lingerEnv), linger.String()))
	if err == nil {
		err = keep(home, stay)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// keep runs the servers until nobody has used them for a while, and then removes
// their data: a checkout would leave some 70 MB, mostly in memory. The locked files
// stay, since two processes locking different files of one name would not know of
// each other. Killed, it takes the servers along, since they die with their parent;
// the next keeper clears the rest.
func keep(home string, linger time.Duration) error {
	keeper, err := lockFile(filepath.Join(home, "keeper"))
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(keeper.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("another keeper is running: %w", err)
	}
	opts := devstack.Options{DataDir: home, RedisDatabases: redisDatabases, Log: func(line string) { fmt.Fprintln(os.Stderr, line) }}
	stack, err := devstack.Start(context.Background(), opts)
	if err != nil {
		return errors.Join(err, writeState(home, servers{Problem: err.Error()}))
	}
	s, unpool, err := pool(opts, stack)
	if err != nil {
		return errors.Join(err, writeState(home, servers{Problem: err.Error()}), stack.Stop())
	}
	users, err := serve(home, s, linger)
	err = errors.Join(err, os.Remove(stateFile(home)), unpool(), stack.Stop())
	if users == nil { // a user may need the servers, and is told they have ended
		return errors.Join(err, keeper.Close())
	}
	return errors.Join(err, devstack.Remove(opts), keeper.Close(), users.Close()) // users last: whoever waits for it starts a new keeper
}

// serve says where the servers are, waits until nobody needs them and returns the
// users lock to keep newcomers waiting.
func serve(home string, s servers, linger time.Duration) (*os.File, error) {
	if err := clearDatabases(s.SocketURL); err != nil {
		return nil, err
	}
	if err := writeState(home, s); err != nil {
		return nil, err
	}
	return waitUnused(filepath.Join(home, "users"), linger)
}

// waitUnused returns the users lock, held by this process alone, when nobody else
// has held it for so long. Whoever comes now waits until this process has ended.
func waitUnused(path string, linger time.Duration) (*os.File, error) {
	users, err := lockFile(path)
	if err != nil {
		return nil, err
	}
	for lastUsed := time.Now(); ; time.Sleep(10 * lockPoll) {
		err := syscall.Flock(int(users.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != nil {
			lastUsed = time.Now()
			continue
		}
		if time.Since(lastUsed) > linger {
			return users, nil
		}
		if err := syscall.Flock(int(users.Fd()), syscall.LOCK_UN); err != nil {
			return nil, err
		}
	}
}

// keeperRunning reports whether a keeper holds its lock.
func keeperRunning(home string) (bool, error) {
	file, err := lockFile(filepath.Join(home, "keeper"))
	if err != nil {
		return false, err
	}
	defer file.Close()
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

func writeState(home string, s servers) error {
	content, err := json.Marshal(s)
	if err != nil {
		return err
	}
	fresh := stateFile(home) + ".new"
	if err := os.WriteFile(fresh, content, 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, stateFile(home))
}

func lockFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
}

// waitLock takes a lock, waiting for it no longer than servers need to start.
func waitLock(file *os.File, kind int) error {
	var err error
	for deadline := time.Now().Add(joinLimit); time.Now().Before(deadline); time.Sleep(lockPoll) {
		if err = syscall.Flock(int(file.Fd()), kind|syscall.LOCK_NB); err == nil {
			return nil
		}
	}
	return fmt.Errorf("lock %s: %w", file.Name(), err)
}
