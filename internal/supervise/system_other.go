//go:build !unix

package supervise

import (
	"os"
	"os/exec"
)

// There are no process groups and no SIGTERM: a program that is asked to end is killed, and not what it has
// started.

func isolate(*exec.Cmd)           {}
func wait(cmd *exec.Cmd)          { _ = cmd.Wait() }
func terminate(p *os.Process)     { _ = p.Kill() }
func kill(p *os.Process)          { _ = p.Kill() }
func pass(*os.Process, os.Signal) {}

func code(s *os.ProcessState) int { return s.ExitCode() }
