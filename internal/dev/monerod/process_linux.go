package monerod

import (
	"os/exec"
	"syscall"
)

// dieWithParent makes the kernel end the node when the test process is gone.
func dieWithParent(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
