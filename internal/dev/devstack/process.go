package devstack

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// errDied: a server ended before it was ready.
var errDied = errors.New("server ended while starting")

// errRunning refuses to start a server not stopped before.
var errRunning = errors.New("server was not stopped before")

// poll is how often a condition outside this process is looked at.
const poll = 5 * time.Millisecond

// process is a running server; it ends with this process.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
}

// launch starts cmd. The kernel ties "dies with its parent" to the forking thread,
// so one goroutine keeps this thread until the server has ended.
func launch(cmd *exec.Cmd, onParentDeath syscall.Signal) (*process, error) {
	dieWithParent(cmd.SysProcAttr, onParentDeath)
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return p, nil
}

// alive reports whether the server has not ended yet.
func (p *process) alive() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// stop sends the signals one after another, each after waiting for patience, until
// the server has ended; the last resort is SIGKILL.
func (p *process) stop(signals ...syscall.Signal) error {
	for _, signal := range append(signals, syscall.SIGKILL) {
		if !p.alive() {
			return nil
		}
		_ = p.cmd.Process.Signal(signal)
		select {
		case <-p.done:
			return nil
		case <-time.After(patience):
		}
	}
	return fmt.Errorf("process %d does not end", p.cmd.Process.Pid)
}

// patience is how long a server may take to obey a signal to end.
const patience = 10 * time.Second

// clearLeftover ends a server left running by an earlier owner of this place, and
// removes its pid file.
func clearLeftover(p *place, signals []syscall.Signal) error {
	for _, name := range []string{"postmaster.pid", "redis.pid", "pgbouncer.pid"} {
		file := filepath.Join(p.data(), name)
		content, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		first, _, _ := strings.Cut(string(content), "\n")
		pid, err := strconv.Atoi(strings.TrimSpace(first))
		if err == nil && pid > 1 {
			if err := endStranger(pid, p.data(), signals); err != nil {
				return err
			}
		}
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// endStranger ends a process other than our children, if it is the server of dir:
// both servers run in their data directory, and a reused pid does not.
func endStranger(pid int, dir string, signals []syscall.Signal) error {
	for _, signal := range append(signals, syscall.SIGKILL) {
		deadline := time.Now().Add(patience)
		for sent := false; time.Now().Before(deadline); time.Sleep(poll) {
			if !sameDir(workingDir(pid), dir) {
				return nil
			}
			if !sent {
				_ = syscall.Kill(pid, signal)
				sent = true
			}
		}
	}
	return fmt.Errorf("process %d, left over in %s, does not end", pid, dir)
}

func sameDir(a, b string) bool {
	if a == "" {
		return false
	}
	one, err1 := os.Stat(a)
	two, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(one, two)
}
