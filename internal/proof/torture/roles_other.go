//go:build !linux

package main

import "syscall"

// endsWithUs keeps our Ctrl-C from reaching the roles: they are ended in order.
func endsWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
