package devstack

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// identity is the user of the server processes.
type identity struct {
	uid, gid uint32
	// switched is true when this process is root and the servers are not.
	switched bool
}

// ordinaryUser is the caller, or for root one of the accounts made to run a server,
// because PostgreSQL refuses to run as root.
func ordinaryUser() (identity, error) {
	if os.Geteuid() != 0 {
		return identity{uid: uint32(os.Geteuid()), gid: uint32(os.Getegid())}, nil //nolint:gosec // the kernel's ids have 32 bits
	}
	for _, name := range []string{"postgres", "_postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(account.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(account.Gid, 10, 32)
		if err1 == nil && err2 == nil && uid != 0 {
			return identity{uid: uint32(uid), gid: uint32(gid), switched: true}, nil
		}
	}
	return identity{}, errors.New("started by root, and none of the users postgres, _postgres and nobody exists to run the servers as")
}

// command prepares a program for this user, in its own process group (Ctrl-C
// reaches only us), with a clean environment.
func (id identity) command(dir, program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC", "HOME=" + dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if id.switched {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: id.uid, Gid: id.gid}
	}
	return cmd
}

// own creates a directory for this user alone to enter.
func (id identity) own(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return id.give(dir)
}

func (id identity) give(path string) error {
	if !id.switched {
		return nil
	}
	return os.Chown(path, int(id.uid), int(id.gid))
}

// owns reports whether path is a real directory of this user, closed to everybody else.
func (id identity) owns(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == id.uid
}

// reaches returns nil if this user can walk into dir. A shell of this user asks the
// kernel, since it knows of access lists and mounts.
func (id identity) reaches(dir string) error {
	if !id.switched {
		return nil
	}
	if err := id.command("/", "/bin/sh", "-c", `cd -- "$1"`, "sh", dir).Run(); err != nil {
		return fmt.Errorf("user %d cannot enter %s: %w", id.uid, dir, err)
	}
	return nil
}
