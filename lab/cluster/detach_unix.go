//go:build unix && !linux

package cluster

import (
	"os/exec"
	"syscall"
)

// detach keeps the signals of a terminal from a member.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
