//go:build unix

package supervise

import (
	"os"
	"syscall"
)

// The program leads a process group, whose number is its own.

// terminate asks the group to end.
func terminate(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGTERM)
	_ = syscall.Kill(-p.Pid, syscall.SIGCONT) // one that is paused would not notice
}

// kill ends the group. It need not wait for processes that the program has started: after SIGKILL a process
// runs at most until the next interrupt.
func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

func pass(p *os.Process, s os.Signal) {
	if s, ok := s.(syscall.Signal); ok {
		_ = syscall.Kill(-p.Pid, s)
	}
}

// code returns the exit status as a shell has it.
func code(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}
