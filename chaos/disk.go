package main

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// diskKind is the kind of disk on which a member keeps its state.
type diskKind uint8

const (
	noDisk     diskKind = iota // a directory
	memoryDisk                 // a small file system in memory, which can be filled
	loopDisk                   // a file system in a file, which can hang
)

// disk is a file system that only one member uses.
type disk struct {
	kind diskKind
	dir  string
	hung bool
}

// openDisk mounts a file system.
func openDisk(kind diskKind, dir, image string) (*disk, error) {
	d := &disk{kind: kind, dir: dir}
	if kind == memoryDisk {
		if err := command("", "mount", "-t", "tmpfs", "-o", "size=64k", "chaos", dir); err != nil {
			return nil, err
		}
		return d, nil
	}
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		return nil, err
	}
	if err := os.Truncate(image, 4<<20); err != nil {
		return nil, err
	}
	if err := command("", "mkfs.ext4", "-q", image); err != nil {
		return nil, err
	}
	if err := command("", "mount", "-o", "loop", image, dir); err != nil {
		return nil, err
	}
	return d, nil
}

// fail fills the disk, or makes writes hang.
func (d *disk) fail() error {
	if d.kind == loopDisk {
		d.hung = true
		return command("", "fsfreeze", "-f", d.dir)
	}
	f, err := os.Create(d.filler())
	if err != nil {
		return err
	}
	page := make([]byte, 4096)
	for err == nil {
		_, err = f.Write(page)
	}
	if err = errors.Join(err, f.Close()); errors.Is(err, syscall.ENOSPC) {
		return nil
	}
	return err
}

func (d *disk) filler() string { return filepath.Join(d.dir, "filler") }

// repair frees the disk, and resumes writes.
func (d *disk) repair() error {
	switch {
	case d.kind == memoryDisk:
		return os.RemoveAll(d.filler())
	case d.hung:
		d.hung = false
		return command("", "fsfreeze", "-u", d.dir)
	}
	return nil
}

// close unmounts the disk. No process may use it.
func (d *disk) close() error { return command("", "umount", d.dir) }
