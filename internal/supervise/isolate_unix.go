//go:build unix && !linux

package supervise

import (
	"os/exec"
	"syscall"
)

// isolate gives the program a process group.
func isolate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// wait waits until the program has ended, and kills the rest of its process group.
func wait(cmd *exec.Cmd) {
	_ = cmd.Wait() // ProcessState has the end
	kill(cmd.Process)
}
