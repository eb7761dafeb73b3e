package supervise

import (
	"os/exec"
	"syscall"
	"unsafe"
)

// isolate puts the program into a process group of its own, and makes it die with this process.
func isolate(cmd *exec.Cmd) {
	// The signal comes when the thread ends that started the program. Threads end only with a goroutine
	// that is locked to one, of which there is none here.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// wait waits until the program has ended, and kills the rest of its process group.
func wait(cmd *exec.Cmd) {
	const byPID = 1
	var info [16]uint64 // the struct siginfo_t, which nothing looks at, has 128 bytes
	for {
		_, _, err := syscall.Syscall6(syscall.SYS_WAITID, byPID, uintptr(cmd.Process.Pid),
			uintptr(unsafe.Pointer(&info)), syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if err != syscall.EINTR {
			break
		}
	}
	// Kill before Wait: afterwards another process may have the number of the program, which is also the
	// number of its group.
	kill(cmd.Process)
	_ = cmd.Wait() // ProcessState has the end
}
