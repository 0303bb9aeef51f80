package main

import "syscall"

// endsWithUs makes the kernel kill a role when this process is gone.
func endsWithUs() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
