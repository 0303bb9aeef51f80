//go:build !linux

package main

import "syscall"

// endsWithUs keeps a Ctrl-C for us from reaching the roles, which are ended in order.
func endsWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
