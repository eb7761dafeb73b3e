package elector_test

import (
	"encoding"
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
)

var (
	_ encoding.TextMarshaler   = elector.Times{}
	_ encoding.TextUnmarshaler = (*elector.Times)(nil)
)

// TestTimesText: what users write, and what is written for it.
func TestTimesText(t *testing.T) {
	drained := elector.Cloud()
	drained.Drain = 30 * time.Second
	for text, want := range map[string]struct {
		times elector.Times
		text  string
	}{
		"":                              {elector.Times{}, ""},
		"lan":                           {elector.LAN(), "lan"},
		"cloud":                         {elector.Cloud(), "cloud"},
		"wan":                           {elector.WAN(), "wan"},
		"750ms":                         {elector.Times{Lease: 750 * time.Millisecond}, "750ms"},
		"drain=10s":                     {elector.Times{Drain: 10 * time.Second}, "drain=10s"},
		" 2s , drift=0.01, renew=300ms": {elector.Times{Lease: 2 * time.Second, Renew: 300 * time.Millisecond, Drift: 0.01}, "2s,renew=300ms,drift=0.01"},
		"lease=2s,stop=1s,delay=5ms":    {elector.Times{Lease: 2 * time.Second, Stop: time.Second, Delay: 5 * time.Millisecond}, "2s,stop=1s,delay=5ms"},
		"cloud,drain=30s":               {drained, "3s,renew=750ms,stop=750ms,drain=30s,drift=0.001"},
		"3s,renew=750ms,stop=750ms,drain=5s,drift=0.001": {elector.Cloud(), "cloud"},
	} {
		var times elector.Times
		require.NoError(t, times.UnmarshalText([]byte(text)), text)
		require.Equal(t, want.times, times, text)
		written, err := times.MarshalText()
		require.NoError(t, err)
		require.Equal(t, want.text, string(written))
	}
	for text, want := range map[string]string{
		"lna":                  `times: "lna" is neither lan, cloud, wan nor a time; a time is written as in 750ms or 1.5s`,
		"750":                  `times: "750" is neither lan, cloud, wan nor a time; a time is written as in 750ms or 1.5s`,
		"0s":                   `times: lease: 0s is not above 0`,
		"-1s":                  `times: lease: -1s is not above 0`,
		"lan,lease=1s":         `times: lease is given twice in "lan,lease=1s"`,
		"1s,lan":               `times: "lan" is not one of lease, renew, stop, drain, delay and drift`,
		"1s,drain=5":           `times: drain: "5" is not a time; a time is written as in 750ms or 1.5s`,
		"1s,drain=1s,drain=2s": `times: drain is given twice in "1s,drain=1s,drain=2s"`,
		"1s,":                  `times: "" is not one of lease, renew, stop, drain, delay and drift`,
		",1s":                  `times: "" is neither lan, cloud, wan nor a time; a time is written as in 750ms or 1.5s`,
		"1s,rest=2s":           `times: "rest" is not one of lease, renew, stop, drain, delay and drift`,
		"drift=fast":           `times: drift: "fast" is not a number, as in 0.001`,
		"drift=NaN":            `times: drift: NaN is not above 0`,
		"drift=-1":             `times: drift: -1 is not above 0`,
	} {
		kept := elector.Times{Lease: 1}
		err := kept.UnmarshalText([]byte(text))
		require.ErrorIs(t, err, election.ErrInput)
		require.EqualError(t, err, "elector: "+want)
		require.Equal(t, elector.Times{Lease: 1}, kept)
	}
}

// TestTimesRoundTrip: any Times are the same after they were written and read, in JSON as well.
func TestTimesRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	some := func() time.Duration {
		if r.IntN(3) == 0 {
			return 0
		}
		return time.Duration(r.Int64N(int64(time.Hour)) >> r.IntN(40))
	}
	for range 1000 {
		times := elector.Times{Lease: some(), Renew: some(), Stop: some(), Drain: some(), Delay: some()}
		if r.IntN(2) == 0 {
			times.Drift = r.Float64()
		}
		text, err := json.Marshal(times)
		require.NoError(t, err)
		var read elector.Times
		require.NoError(t, json.Unmarshal(text, &read))
		require.Equal(t, times, read, string(text))
	}
}
