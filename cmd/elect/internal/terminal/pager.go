package terminal

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// Page returns a writer to the pager in PAGER, or else less, if w is a terminal. Otherwise it returns w. It
// also returns w if the input is the null device: the command then runs unattended, and a pager, which reads
// its keys from the terminal, would wait forever. When everything is written, the caller must call wait,
// which waits for the pager to end.
func Page(in io.Reader, w io.Writer) (to io.Writer, wait func() error) {
	pager, set := os.LookupEnv("PAGER")
	switch {
	case !set:
		pager = "less"
	case pager == "" || pager == "cat":
		return w, func() error { return nil }
	}
	if !Is(w) || isNull(in) {
		return w, func() error { return nil }
	}
	return paged(w, pager)
}

// paged starts a pager, a command of the shell.
func paged(w io.Writer, pager string) (to io.Writer, wait func() error) {
	shell := exec.Command("sh", "-c", pager)
	shell.Stdout, shell.Stderr = w, os.Stderr
	shell.Env = os.Environ()
	// Quit if all fits the screen, show colors, and leave the text on the screen, as git does.
	if _, set := os.LookupEnv("LESS"); !set {
		shell.Env = append(shell.Env, "LESS=FRX")
	}
	in, err := shell.StdinPipe()
	if err == nil {
		err = shell.Start()
	}
	if err != nil { // there is no shell
		return w, func() error { return nil }
	}
	return unlessQuit{in}, func() error {
		_ = in.Close() // a pager that has ended has closed it
		return shell.Wait()
	}
}

// unlessQuit writes to a pager, in vain once its user has left it: that is no error.
type unlessQuit struct{ io.Writer }

// Write writes to the pager.
func (u unlessQuit) Write(b []byte) (int, error) {
	n, err := u.Writer.Write(b)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
		return len(b), nil
	}
	return n, err
}
