// Package wholefile replaces files so that a crash leaves either the old one or the new one.
package wholefile

import (
	"errors"
	"os"
	"path/filepath"
)

// Write replaces a file, which only its owner may read. It uses a file whose name ends in .new beside it, so
// two must not write the same file at once.
func Write(path string, data []byte) error {
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	// The name in the directory has to reach the disk as well.
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	err = dir.Sync()
	return errors.Join(err, dir.Close())
}
