package devstack

import (
	"fmt"
	"os"
	"syscall"
)

// dieWithParent makes the kernel send signal to the server when we are gone.
func dieWithParent(attr *syscall.SysProcAttr, signal syscall.Signal) {
	attr.Pdeathsig = signal
}

// workingDir is the directory a process runs in; empty when there is none such.
func workingDir(pid int) string {
	dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil {
		return ""
	}
	return dir
}
