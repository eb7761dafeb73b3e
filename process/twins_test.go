package process_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// TestWarnsOfTwins: a process warns if packets of two incarnations of a peer alternate for longer than late
// packets of an incarnation that has ended may, and at no other time.
func TestWarnsOfTwins(t *testing.T) {
	type packet struct {
		after            time.Duration // the one before
		incarnation, seq uint64
	}
	const s = time.Second
	restarted := []packet{{0, 7, 1}, {s, 8, 1}}
	twice := []packet{{12 * s, 7, 2}, {0, 8, 2}}
	for name, tt := range map[string]struct {
		packets  []packet
		warnings int
	}{
		"two alternate": {append(restarted, twice...), 1},
		"late packets of a start that has ended": {append(restarted, packet{s, 7, 2}, packet{s, 8, 2},
			packet{8*s - 1, 7, 3}, packet{s, 8, 3}, packet{time.Hour, 8, 4}), 0},
		"exactly ten seconds":      {append(restarted, packet{10 * s, 7, 2}, packet{0, 8, 2}), 1},
		"the latest comes no more": {append(restarted, packet{time.Hour, 7, 2}, packet{s, 7, 3}), 0},
		"late copies":              {append(restarted, packet{time.Hour, 7, 1}, packet{0, 8, 2}), 0},
		"a start that is new": {append(restarted, packet{time.Hour, 7, 2}, packet{0, 9, 1},
			packet{s, 9, 2}), 0},
		"the packets have no number": {[]packet{{0, 7, 0}, {s, 8, 0}, {time.Hour, 7, 0},
			{0, 8, 0}}, 0},
		"one without a number between": {append(restarted, packet{time.Hour, 7, 0},
			packet{0, 8, 2}), 0},
		"the first of an ended start comes late": {[]packet{{0, 8, 1}, {s, 7, 1}, {time.Hour, 8, 2},
			{s, 8, 3}}, 0},
		"again at once": {append(append(restarted, twice...), packet{s, 7, 3},
			packet{0, 8, 3}), 1},
		"again much later": {append(append(restarted, twice...), packet{11 * s, 7, 3},
			packet{0, 8, 3}), 2},
		"one after another": {append(append(restarted, twice...), packet{11 * s, 8, 3},
			packet{0, 8, 4}), 1},
		"the earlier start of a third": {[]packet{{0, 6, 1}, {s, 7, 1}, {s, 8, 1}, {11 * s, 6, 2}, {0, 8, 2}},
			1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				c, _ := pair(t, func(*election.Env, *election.Event) {})
				c.Log = plainLog(&log)
				inbox := make(chan election.Packet)
				c.Transport = wire{wires{1: inbox}, 1}
				p, ended := running(t, c)
				for _, in := range tt.packets {
					time.Sleep(in.after)
					inbox <- election.Packet{From: 2, To: 1, Incarnation: in.incarnation, Seq: in.seq}
					synctest.Wait()
				}
				p.Close()
				require.NoError(t, <-ended)
				require.Equal(t, tt.warnings, strings.Count(log.String(),
					`level=WARN msg="two processes use `+
						`one ID: packets of two starts of it alternate" member=1 peer=2`), log.String())
				require.Equal(t, tt.warnings, strings.Count(log.String(), "WARN"), log.String())
			})
		})
	}
}
