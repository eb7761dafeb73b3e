//go:build unix

package fence

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/go-election/election/internal/wholefile"
)

// WriteFile replaces a file, if the token is not smaller than that of the last write. The token is kept
// beside it, in a file whose name ends in .token, and processes that write at the same time wait for
// each other there. After a crash the file is the old one or the new one, whole. An error wraps
// [ErrStale] if the token is too small.
func WriteFile(path string, token uint64, data []byte) (err error) {
	// Before anything is made beside it: no file can take the place of a folder.
	if info, err := os.Stat(path); path == "" || err == nil && info.IsDir() {
		return fmt.Errorf("fence: %q is not the name of a file", path)
	}
	// The lock is that of the open file, so it ends with the process.
	guard, err := os.OpenFile(path+".token", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, guard.Close()) }()
	if err := syscall.Flock(int(guard.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("fence: locking %s: %w", guard.Name(), err)
	}
	last, err := readToken(guard.Name())
	if err != nil {
		return err
	}
	if token < last {
		return stale(token, last)
	}
	// The token first: after a crash between the two the old leader must not write what the new one did not.
	text := fmt.Appendf(nil, "%020d\n", token) // always as long, so that one write replaces it
	if _, err := guard.WriteAt(text, 0); err != nil {
		return err
	}
	if err := guard.Sync(); err != nil {
		return err
	}
	return wholefile.Write(path, data)
}

// readToken returns the token in a file, zero if it is empty.
func readToken(path string) (token uint64, err error) {
	b, err := os.ReadFile(path)
	if err != nil || len(b) == 0 {
		return 0, err
	}
	if token, err = strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64); err != nil {
		err = fmt.Errorf("fence: %s holds no token but %.40q; write the largest one that was used", path, b)
	}
	return token, err
}
