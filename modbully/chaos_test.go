package modbully_test

import (
	"flag"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/modbully"
)

var long = flag.Bool("long", false, "try larger networks and more schedules")

// TestChaos: crashes and returns at random, within the model. At the end one leads, it is the
// largest live process, and all agree.
func TestChaos(t *testing.T) {
	pending := func(id election.ID) time.Duration { return time.Duration(id%20) * sim.Unit / 4 }
	for _, v := range variants {
		for name, c := range map[string]struct {
			config modbully.Config
			runs   uint64
		}{
			"as by default":   {modbully.Config{}, 5000},
			"waits, and echo": {modbully.Config{Wait: modbully.WaitOwn, Pending: pending, Echo: true}, 500},
			"waits for MPC":   {modbully.Config{Wait: modbully.WaitPaper, Pending: pending}, 500},
			"waits by rank":   {modbully.Config{Wait: modbully.WaitRank}, 500},
			"heartbeats":      {modbully.Config{Heartbeat: 3 * sim.Unit}, 200},
		} {
			t.Run(string(v)+" "+name, func(t *testing.T) {
				if !*long {
					c.runs /= 10
				}
				r, err := soak.Run(t.Context(), soak.Config{Algorithm: build(t, v, c.config),
					Profile: soak.Chaos, Runs: c.runs})
				require.NoError(t, err)
				require.Nil(t, r.Failure)
			})
		}
	}
}
