package build

import (
	"os/exec"
	"syscall"
)

// endWithParent makes a go command end with this program, even if the program is killed. The kernel sends the
// signal when the thread that started the command ends, and the Go runtime ends no thread before the program.
// A compiler that the command has started continues to the end of its package.
func endWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
