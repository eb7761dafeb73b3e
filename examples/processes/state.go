package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// readState returns what the process has saved in a file before it ended, nothing if there is no such file.
func readState(file string) ([]byte, error) {
	state, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return state, err
}

// saveState puts a state in the place of the file's. It is on disk when saveState returns, and at any
// moment the file holds either the state before or this one, whole.
func saveState(file string, state []byte) error {
	next, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(next.Name()) // fails where the file has its new name
	_, err = next.Write(state)
	if err := errors.Join(err, next.Sync(), next.Close()); err != nil {
		return err
	}
	if err := os.Rename(next.Name(), file); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(file))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close()) // the new name is on disk, too
}
