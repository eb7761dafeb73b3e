//go:build unix && !linux

package main

import "syscall"

// dieWithParent keeps the signals of a terminal from a member.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
