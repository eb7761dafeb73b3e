package main

import "syscall"

// dieWithParent keeps the signals of a terminal from a member, and lets it end with the harness however that
// ends, also while the member is paused and does not see that its input has ended.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
