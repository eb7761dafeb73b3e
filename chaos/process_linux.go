package main

import "syscall"

// dieWithParent shields a member from signals of the terminal, and kills it when the harness ends for any reason,
// even while the member is paused and does not see the end of its input.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
