package params_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/input"
	"github.com/go-election/election/params"
)

func TestWording(t *testing.T) {
	for w, want := range map[params.Wording]string{
		params.ForPrograms: "election: bad input: AliveTimeout: 1.5s is less than 2*Delay; Unsafe: true takes it",
		params.ForFiles:    "election: bad input: params.alive_timeout: 1.5 delays is less than 2*delay; unsafe=yes takes it",
	} {
		err := w.Errorf("alive_timeout", "%s is less than 2*{delay}; {unsafe=yes} takes it",
			w.Time(3*time.Second/2, time.Second))
		require.EqualError(t, err, want)
		require.ErrorIs(t, err, input.Err)
	}
	require.Equal(t, "1 delay", params.ForFiles.Time(time.Second, time.Second))
}
