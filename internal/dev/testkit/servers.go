package testkit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// servers are the addresses of the shared servers, or why there are none.
type servers struct {
	SocketURL string // PostgreSQL's own database, through the Unix socket
	RedisURL  string
	Pooler    string // "" without one: the address of a pgbouncer, see byPooler
	Problem   string

	users *os.File // this process's part of the users lock
}

// joinLimit is how long the first test waits for the servers to start.
const joinLimit = 60 * time.Second

// shared are the servers of this test process, joined on first use and left when
// the process ends.
var shared = sync.OnceValues(join)

// need returns the shared servers or fails the test.
func need(t testing.TB) servers {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatalf("test servers: %v", err)
	}
	return s
}

// join registers this process as a user of the servers, by a shared lock taken away
// by the system when the process ends, and starts their keeper when none is
// running.
func join() (servers, error) {
	home := keeperHome()
	if err := os.MkdirAll(home, 0o711); err != nil {
		return servers{}, err
	}
	users, err := lockFile(filepath.Join(home, "users"))
	if err != nil {
		return servers{}, err
	}
	if err := waitLock(users, syscall.LOCK_SH); err != nil {
		return servers{}, err
	}
	door, err := lockFile(filepath.Join(home, "door"))
	if err != nil {
		return servers{}, err
	}
	defer door.Close()
	if err := waitLock(door, syscall.LOCK_EX); err != nil {
		return servers{}, err
	}
	running, err := keeperRunning(home)
	if err != nil {
		return servers{}, err
	}
	var s servers
	if running {
		s, err = awaitServers(home, nil)
	} else {
		s, err = startKeeper(home)
	}
	s.users = users
	return s, err
}

// startKeeper runs this test program once more as the keeper, in a session of its
// own: it outlives this process when others still need the servers.
func startKeeper(home string) (servers, error) {
	program, err := os.Executable()
	if err != nil {
		return servers{}, err
	}
	if err := os.Remove(stateFile(home)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return servers{}, err
	}
	log, err := os.OpenFile(filepath.Join(home, "keeper.log"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return servers{}, err
	}
	defer log.Close()
	cmd := exec.Command(program)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), keeperEnv+"="+home)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return servers{}, err
	}
	return awaitServers(home, cmd.Process)
}

// awaitServers waits for the keeper's word on its servers. child is the keeper when
// it is ours, to notice its early end.
func awaitServers(home string, child *os.Process) (servers, error) {
	for deadline := time.Now().Add(joinLimit); time.Now().Before(deadline); time.Sleep(lockPoll) {
		content, err := os.ReadFile(stateFile(home))
		if err == nil {
			return parseState(content)
		}
		if keeperEnded(home, child) {
			log, _ := os.ReadFile(filepath.Join(home, "keeper.log"))
			return servers{}, fmt.Errorf("their keeper ended: %s", log)
		}
	}
	return servers{}, fmt.Errorf("not ready after %v, see %s", joinLimit, filepath.Join(home, "keeper.log"))
}

// keeperEnded reports whether there is nobody left to wait for. A child just
// started may not hold its lock yet, but can be asked for directly.
func keeperEnded(home string, child *os.Process) bool {
	if child != nil {
		pid, _ := syscall.Wait4(child.Pid, nil, syscall.WNOHANG, nil)
		return pid == child.Pid
	}
	running, err := keeperRunning(home)
	return err == nil && !running
}

func parseState(content []byte) (servers, error) {
	var s servers
	if err := json.Unmarshal(content, &s); err != nil {
		return servers{}, err
	}
	if s.Problem != "" {
		return servers{}, errors.New(s.Problem)
	}
	return s, nil
}

// keeperHome is the directory of the servers of this user and this checkout.
func keeperHome() string {
	_, file, _, _ := runtime.Caller(0)
	sum := sha256.Sum256([]byte(filepath.Dir(file)))
	name := fmt.Sprintf("causeway-test-%d-%s", os.Geteuid(), hex.EncodeToString(sum[:4]))
	if pooled() {
		name += "-pooled"
	}
	return scratch(name)
}

func stateFile(home string) string { return filepath.Join(home, "servers.json") }
