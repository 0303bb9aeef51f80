package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"causeway/migrations"
)

// role is one process of the product, started again whenever it ends.
type role struct {
	name string
	args []string
	env  []string
	log  string        // file for its output
	port string        // address of its operator port
	next func() string // the binary of the next life

	mu     sync.Mutex
	cmd    *exec.Cmd // nil between two lives
	born   time.Time // the present life
	bin    string    // of the present life
	killed bool      // the present life was ended by us
	failed int64     // lives ended by themselves
	starts int64
	exit   error // of the last life
	done   chan struct{}
}

// cast is every process of the installation.
var cast = []struct {
	name string
	as   migrations.Role
	args []string
}{
	{"api", migrations.APIRole, []string{"api"}},
	{"worker-1", migrations.WorkerRole, []string{"worker", "--queues", "chain,webhooks,upkeep"}},
	{"worker-2", migrations.WorkerRole, []string{"worker", "--queues", "chain,webhooks,upkeep"}},
	{"signer-1", migrations.SignerRole, []string{"worker", "--queues", "signing"}},
	{"signer-2", migrations.SignerRole, []string{"worker", "--queues", "signing"}},
	{"scheduler-1", migrations.SchedulerRole, []string{"scheduler"}},
	{"scheduler-2", migrations.SchedulerRole, []string{"scheduler"}},
}

// raise starts every role, each with a goroutine to start it again, until ctx ends.
func (t *torture) raise(ctx context.Context) {
	c := t.chance("versions")
	next := func() string { return t.version.next(c) }
	for _, p := range cast {
		port := freeAddress()
		r := &role{name: p.name, args: p.args, env: append(t.environment(p.name, p.as), "OPERATOR_ADDR="+port), port: port,
			log: filepath.Join(t.logs(), p.name+".log"), next: next, done: make(chan struct{})}
		t.roles = append(t.roles, r)
		go r.live(ctx)
	}
}

// environment is the environment of a role: the same for all but its own ports.
func (t *torture) environment(name string, as migrations.Role) []string {
	env := append(t.settings(as), "SANDBOX_OPERATOR_ADDR="+freeAddress(), "LISTEN_ADDR=127.0.0.1:0")
	if name == "api" {
		t.api = freeAddress()
		env = append(env, "LISTEN_ADDR="+t.api)
	}
	return env
}

// live starts the role again and again. A process meant to end with us ends with the thread of its start, so this
// thread is kept.
func (r *role) live(ctx context.Context) {
	runtime.LockOSThread()
	defer close(r.done)
	for ctx.Err() == nil {
		if byUs := r.once(ctx); !byUs {
			wait(ctx, 200*time.Millisecond)
		}
	}
}

// once is one life of the role; it returns whether we ended it.
func (r *role) once(ctx context.Context) bool {
	log, err := os.OpenFile(r.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer func() { _ = log.Close() }()
	bin := r.next()
	cmd := exec.Command(bin, r.args...)
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = r.env, log, log, endsWithUs()
	r.mu.Lock()
	err = cmd.Start()
	if err == nil {
		r.cmd, r.bin, r.born, r.killed, r.starts = cmd, bin, time.Now(), false, r.starts+1
	}
	r.mu.Unlock()
	if err != nil {
		panic(fmt.Sprintf("start %s: %v", r.name, err))
	}
	err = cmd.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cmd, r.exit = nil, err
	if !r.killed && ctx.Err() == nil {
		r.failed++
	}
	return r.killed
}

// kill ends the present life as a power cut does, and returns how long it was; false between two lives, or when it is
// ending already.
func (r *role) kill() (age time.Duration, killed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cmd == nil || r.killed || r.cmd.Process.Kill() != nil {
		return 0, false
	}
	r.killed = true
	return time.Since(r.born), true
}

// runs reports whether the present life, if any, is of this binary.
func (r *role) runs(binary string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cmd != nil && r.bin == binary
}

// end ends the last life as an operator does, after the context of live has ended, and returns how the life ended.
func (r *role) end(within time.Duration) error {
	r.mu.Lock()
	if r.cmd != nil {
		_ = r.cmd.Process.Signal(syscall.SIGTERM)
	}
	r.mu.Unlock()
	select {
	case <-r.done:
	case <-time.After(within):
		r.kill()
		<-r.done
		return fmt.Errorf("%s did not end within %v", r.name, within)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.exit != nil && !r.killed {
		return fmt.Errorf("%s ended with: %w", r.name, r.exit)
	}
	return nil
}
