//go:build !linux

package devstack

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// dieWithParent does nothing here: the next start ends a server left running.
func dieWithParent(*syscall.SysProcAttr, syscall.Signal) {}

// workingDir is the directory a process runs in; empty when there is none such.
func workingDir(pid int) string {
	out, err := exec.Command("lsof", "-a", "-p", strconv.Itoa(pid), "-d", "cwd", "-Fn").Output()
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(out)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "n"); ok {
			return name
		}
	}
	return ""
}
