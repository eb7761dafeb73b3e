package build

import (
	"os/exec"
	"syscall"
)

// endWithParent lets a go command end with this program, also where that is killed. SIGINT and not SIGKILL:
// the go command then removes its own work folder. The kernel sends it when the thread that started the
// command ends, and the Go runtime ends no thread before the program.
func endWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGINT}
}
