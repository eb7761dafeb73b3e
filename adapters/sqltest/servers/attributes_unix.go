//go:build unix && !linux

package servers

import "syscall"

func attributes(identity *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: identity}
}
