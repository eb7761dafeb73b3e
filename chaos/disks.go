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
		// The successor comes only when the pause was to be over already.
		{name: "hang the followers' disks, and SIGSTOP the leader for 3 leases", needs: mounts,
			disk: loopDisk, refuses: true,
			do: func(t *trial) error {
				return t.hang(t.others, 4, func() error { return t.pauseLeader(bySignal, 3) })
			}},
	}
}

// hang lets disks hang for some leases, and does something meanwhile.
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
	// A disk is repaired also where do fails: the group that is closed then must not do it at the same time.
	return errors.Join(err, do(), <-repaired)
}

// spoil lets disks fail for two leases, and ends the lease of the leader: else no member writes.
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
	// A member that cannot save ends, as its error says.
	return errors.Join(err, t.restart())
}
