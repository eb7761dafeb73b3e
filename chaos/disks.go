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
	}
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
