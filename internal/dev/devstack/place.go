package devstack

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// place is the directory of one server. It belongs to the caller; only the
// folder "data" in it belongs to the server.
type place struct {
	dir  string
	lock *os.File
}

func (p *place) path(name string) string { return filepath.Join(p.dir, name) }

// data is the directory the server itself writes to and runs in.
func (p *place) data() string { return p.path("data") }

// unfinished is where data is while it is made, and while it is removed.
func (p *place) unfinished() string { return p.path("data.new") }

// claim finds or makes the directory of one server and locks it for this process.
// The lock ends with the process in any case.
func claim(opts Options, who identity, name string) (*place, error) {
	base, err := reachableBase(opts, who)
	if err != nil {
		return nil, err
	}
	p := &place{dir: filepath.Join(base, name)}
	if !sameDir(base, opts.DataDir) {
		opts.log(fmt.Sprintf("%s keeps its data in %s: the user it runs as cannot enter %s", name, p.dir, opts.DataDir))
	}
	if err := makeDir(p.dir, who.openMode()); err != nil {
		return nil, err
	}
	p.lock, err = os.OpenFile(p.path("lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(p.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		holder, _ := os.ReadFile(p.lock.Name())
		p.lock.Close()
		return nil, fmt.Errorf("%s is in use by process %s", p.dir, strings.TrimSpace(string(holder)))
	}
	if err := p.lock.Truncate(0); err != nil {
		return nil, err
	}
	_, err = p.lock.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return p, err
}

// release gives the place up for another process.
func (p *place) release() {
	p.lock.Close()
}

// openMode is the mode of directories on the server's way.
func (id identity) openMode() os.FileMode {
	if id.switched {
		return 0o711
	}
	return 0o700
}

// reachableBase is the data directory, or its stand-in when the user who cannot enter it.
func reachableBase(opts Options, who identity) (string, error) {
	wanted, err := filepath.Abs(opts.DataDir)
	if err != nil {
		return "", err
	}
	if err := makeDir(wanted, who.openMode()); err != nil {
		return "", err
	}
	reason := who.reaches(wanted)
	if reason == nil {
		return wanted, nil
	}
	name := "causeway-" + short(wanted)
	for _, parent := range []string{"/var/tmp", os.TempDir(), "/tmp"} {
		if who.reaches(parent) != nil {
			continue
		}
		standIn := filepath.Join(parent, name)
		if err := makeOwn(standIn, who.openMode()); err != nil {
			return "", err
		}
		return standIn, nil
	}
	return "", reason
}

// makeDir makes a directory of exactly this mode, for any umask, and leaves an
// existing one as it is.
func makeDir(dir string, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(dir, mode); errors.Is(err, os.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	return os.Chmod(dir, mode)
}

// makeOwn makes a directory in a place writable by everybody, and refuses one put
// there by somebody else.
func makeOwn(dir string, mode os.FileMode) error {
	if err := makeDir(dir, mode); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(stat.Uid) != os.Geteuid() || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s exists and is not ours: remove it", dir)
	}
	return nil
}

// socketDir makes the short directory for a Unix socket: its path may not exceed
// 103 bytes. The same place gets the same directory on every start.
func socketDir(who identity, p *place) (string, error) {
	dir := filepath.Join("/tmp", "cw-"+short(p.dir))
	if err := os.Mkdir(dir, 0o700); err == nil {
		return dir, who.give(dir)
	}
	if who.owns(dir) {
		return dir, nil
	}
	dir, err := os.MkdirTemp("/tmp", "cw-")
	if err != nil {
		return "", err
	}
	return dir, who.give(dir)
}

// removePlace deletes the directory of one server. Its data first takes the name of incomplete data: if this process is
// killed, the rest is never started.
func removePlace(opts Options, who identity, name string) error {
	p, err := claim(opts, who, name)
	if err != nil {
		return err
	}
	defer p.release()
	if err := clearLeftover(p, leftoverSignals[name]); err != nil {
		return err
	}
	if err := os.RemoveAll(p.unfinished()); err != nil {
		return err
	}
	if err := os.Rename(p.data(), p.unfinished()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.RemoveAll(p.dir); err != nil {
		return err
	}
	if base := filepath.Dir(p.dir); !sameDir(base, opts.DataDir) {
		_ = os.Remove(base) // the stand-in goes with the last server in it
	}
	return nil
}

func short(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
