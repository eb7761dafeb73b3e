package cluster

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// program is a member that has been started: a process, and in tests one in virtual time.
type program interface {
	// do does one of doKill, doTerm, doStop and doContinue to it.
	do(what string) error
	// wait waits until it has ended, and returns how. Its standard output is read before.
	wait() string
	pid() int
}

// launch starts a program, and returns it with its standard input and output.
type launch func() (p program, stdin io.WriteCloser, stdout io.Reader, err error)

// execute starts a process.
func (c *Config) execute() (p program, stdin io.WriteCloser, stdout io.Reader, err error) {
	cmd := c.Command()
	detach(cmd)
	if stdin, err = cmd.StdinPipe(); err != nil {
		return nil, nil, nil, err
	}
	if stdout, err = cmd.StdoutPipe(); err != nil {
		return nil, nil, nil, err
	}
	said := &tail{}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		return nil, nil, nil, err
	}
	return executed{cmd, said}, stdin, stdout, nil
}

// executed is a process of this machine.
type executed struct {
	cmd  *exec.Cmd
	said *tail // what it has written to its standard error
}

func (e executed) pid() int { return e.cmd.Process.Pid }

func (e executed) do(what string) error {
	switch what {
	case doTerm:
		return terminate(e.cmd.Process)
	case doStop:
		return pause(e.cmd.Process)
	case doContinue:
		return resume(e.cmd.Process)
	}
	return e.cmd.Process.Kill()
}

func (e executed) wait() string {
	_ = e.cmd.Wait() // its state has more details
	return strings.TrimSpace(fmt.Sprint(e.cmd.ProcessState, " ", e.said))
}

// tail keeps the end of what is written.
type tail struct{ b bytes.Buffer }

// Write takes everything.
func (t *tail) Write(b []byte) (int, error) {
	const most = 2000
	t.b.Write(b)
	t.b.Next(max(t.b.Len()-most, 0))
	return len(b), nil
}

// String returns the last line.
func (t *tail) String() string {
	lines := bytes.Split(bytes.TrimSpace(t.b.Bytes()), []byte("\n"))
	return string(lines[len(lines)-1])
}
