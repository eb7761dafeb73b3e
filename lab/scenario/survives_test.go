package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/fault"
)

// TestSurvives: crashes and returns are survived as far as the description says, other faults are not.
func TestSurvives(t *testing.T) {
	returns := election.Faults{Crash: election.MayRecover}
	once := []At{{ID: 1}}
	for name, tt := range map[string]struct {
		faults election.Faults
		in     Input
		want   bool
	}{
		"no crash is survived": {election.Faults{}, Input{CrashAt: once}, false},
		"a crash":              {election.Faults{Crash: election.StaysDown}, Input{CrashAt: once}, true},
		"a pause":              {returns, Input{PauseAt: []Pause{{ID: 1}}}, false},
		"a loss":               {returns, Input{Faults: fault.Plan{Loss: 0.1}}, false},
		"without a detector":   {election.Faults{Crash: election.StaysDown, Reported: true}, Input{}, false},
		"a detector": {election.Faults{Crash: election.StaysDown, Reported: true},
			Input{SuspectAfter: 1}, true},
		"a return with and without": {returns, Input{RecoverAt: once, RestartAt: once}, true},
		"a return without a state": {election.Faults{Crash: election.MayRestart}, Input{RecoverAt: once},
			false},
		"a return of what stays down": {election.Faults{Crash: election.StaysDown}, Input{RestartAt: once}, false},
		"only returns with their state": {election.Faults{Crash: election.MayRestart}, Input{RestartAt: once},
			true},
	} {
		tt.in.Algorithm = &election.Algorithm{Faults: tt.faults}
		require.Equal(t, tt.want, tt.in.survives(), name)
	}
}
