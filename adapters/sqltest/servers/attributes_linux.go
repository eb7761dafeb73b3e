package servers

import "syscall"

// attributes has the system kill a server when its test ends, however that ends.
func attributes(identity *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: identity, Pdeathsig: syscall.SIGKILL}
}
