package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is one run of a member.
type process struct {
	number int
	seat   *seat
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	ended  chan struct{}
	frozen string        // its group of the freezer; empty if none
	began  time.Duration // when it was started
	early  time.Duration // how much earlier its clock started

	// Read and written with the mutex of the group held.
	view  report
	since time.Duration // time of its first report
	over  bool          // it has ended
	died  time.Duration // when that was noticed
	text  string        // last line of its standard error
}

// kill kills the process, and waits until it has ended.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // fails only if it has ended
	<-p.ended
	_ = p.stdin.Close()
}

// signal sends a signal.
func (p *process) signal(s syscall.Signal) error { return p.cmd.Process.Signal(s) }

// freezer is the folder in which Linux shows the groups of processes that can be frozen.
const freezer = "/sys/fs/cgroup/freezer"

// freeze stops all threads of the process. Unlike a signal, the process cannot notice that.
func (p *process) freeze() error {
	dir := filepath.Join(freezer, fmt.Sprintf("%s%d", runName(), p.cmd.Process.Pid))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	p.frozen = dir
	pid := strconv.Itoa(p.cmd.Process.Pid)
	return errors.Join(os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(pid), 0),
		os.WriteFile(filepath.Join(dir, "freezer.state"), []byte("FROZEN"), 0))
}

// unfreeze resumes it.
func (p *process) unfreeze() error {
	if p.frozen == "" {
		return nil
	}
	err := thaw(p.frozen)
	p.frozen = ""
	return err
}

// thaw removes a group of the freezer.
func thaw(dir string) error {
	err := os.WriteFile(filepath.Join(dir, "freezer.state"), []byte("THAWED"), 0)
	members, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	for _, pid := range strings.Fields(string(members)) {
		// A process that ends meanwhile cannot be moved, and leaves the group by itself.
		_ = os.WriteFile(filepath.Join(freezer, "cgroup.procs"), []byte(pid), 0)
	}
	for range 100 {
		if e := os.Remove(dir); e == nil || errors.Is(e, fs.ErrNotExist) {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	return errors.Join(err, fmt.Errorf("%s cannot be removed", dir))
}

// tail keeps the end of what is written to it.
type tail struct{ b bytes.Buffer }

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	const most = 2000
	t.b.Write(b)
	t.b.Next(max(t.b.Len()-most, 0))
	return len(b), nil
}

// String returns the last line.
func (t *tail) String() string {
	text := strings.TrimSpace(t.b.String())
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// command runs a program of the system with this input.
func command(input string, args ...string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin = strings.NewReader(input)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}
