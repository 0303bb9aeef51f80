package main

import "syscall"

// endsWithUs has the kernel kill a role when this process is gone.
func endsWithUs() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
