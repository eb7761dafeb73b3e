package cluster

import (
	"os/exec"
	"syscall"
)

// detach keeps the signals of a terminal from a member, and makes it die with its parent even if it is paused
// and does not notice the end of its input.
func detach(cmd *exec.Cmd) {
	// The signal comes when the thread ends that started the member. Threads end only with a goroutine that
	// is locked to one, of which there is none here.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
