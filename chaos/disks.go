package main

import "errors"

func disks() []*fault {
	return []*fault{
		{name: "fill the leader's disk, and let it resign", needs: mounts, disk: memoryDisk, survived: true,
			do: func(t *trial) error { return t.spoil([]*seat{t.leader}, false) }},
		{name: "fill all disks, and kill -9 the leader", needs: mounts, disk: memoryDisk, short: true,
			do: func(t *trial) error { return t.spoil(t.seats, true) }},
		{name: "hang the leader's disk, and let it resign", needs: mounts, disk: loopDisk, survived: true,
			do: func(t *trial) error { return t.spoil([]*seat{t.leader}, false) }},
		{name: "hang the followers' disks, and kill -9 the leader", needs: mounts, disk: loopDisk,
			short: true,
			do:    func(t *trial) error { return t.spoil(t.others, true) }},
		// The successor leads only when the pause should have ended already.
		{name: "hang the followers' disks, and SIGSTOP the leader for 3 leases", needs: mounts,
			disk: loopDisk, refuses: true,
			do: func(t *trial) error {
				return t.hang(t.others, 4, func() error { return t.pauseLeader(bySignal, 3) })
			}},
	}
}

// hang makes disks hang for some leases, and calls do meanwhile.
func (t *trial) hang(seats []*seat, leases float64, do func() error) (err error) {
	for _, s := range seats {
		err = errors.Join(err, s.disk.fail())
	}
	repaired := make(chan error)
	go func() {
		t.sleep(leases)
		var err error
		for _, s := range seats {
			err = errors.Join(err, s.disk.repair())
		}
		repaired <- err
	}()
	// Wait for the repair even if do fails, since closing the group also repairs disks.
	return errors.Join(err, do(), <-repaired)
}

// spoil makes disks fail for two leases, and ends the lease of the leader: otherwise no member writes.
func (t *trial) spoil(seats []*seat, kill bool) (err error) {
	for _, s := range seats {
		err = errors.Join(err, s.disk.fail())
	}
	if kill {
		t.kill(t.leader)
	} else {
		err = errors.Join(err, t.tell(t.leader, "resign"))
	}
	t.sleep(2)
	for _, s := range seats {
		err = errors.Join(err, s.disk.repair())
	}
	// A member that cannot save its state ends with an error.
	return errors.Join(err, t.restart())
}
