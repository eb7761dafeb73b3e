//go:build unix && !linux

package main

import "syscall"

// dieWithParent shields a member from signals of the terminal.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
