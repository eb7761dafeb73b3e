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

// WriteFile replaces a file unless a write with a larger token has: then the error wraps [ErrStale]. The token is
// stored next to the file, in path.token, which also serves as a lock between processes that write at the same time.
// After a crash the file has either its old content or the new.
func WriteFile(path string, token uint64, data []byte) (err error) {
	// Check before creating path.token: a file cannot replace a folder.
	if info, err := os.Stat(path); path == "" || err == nil && info.IsDir() {
		return fmt.Errorf("fence: %q is not the name of a file", path)
	}
	// The lock belongs to the open file, so it ends with the process.
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
	// Write the token first: after a crash in between, an earlier leader must not overwrite what the new one intended
	// to.
	text := fmt.Appendf(nil, "%020d\n", token) // of fixed length, so that one write replaces it
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
		err = fmt.Errorf("fence: %s: %.40q is not a token; write the largest token that was used into it", path, b)
	}
	return token, err
}
