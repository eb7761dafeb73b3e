package clustercmd

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/lab/cluster"
)

// asMember is set for members: this test binary then is one.
const asMember = "RUN_AS_MEMBER"

func TestMain(m *testing.M) {
	if os.Getenv(asMember) != "" {
		if cluster.Member(context.Background(), os.Stdin, os.Stdout) != nil {
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// screens keeps what is drawn, and passes each screen on.
type screens struct{ drawn chan string }

func (s screens) Write(b []byte) (int, error) {
	s.drawn <- string(b)
	return len(b), nil
}

// TestConverse: the table is drawn anew after each key, and shows what was done and what came of it.
func TestConverse(t *testing.T) {
	c, err := cluster.Start(t.Context(), cluster.Config{Members: 1,
		Times: elector.Times{Lease: 100 * time.Millisecond},
		Command: func() *exec.Cmd {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), asMember+"=1")
			return cmd
		}})
	require.NoError(t, err)
	defer c.Close()
	out := screens{make(chan string)}
	a := console.New(nil, strings.NewReader(""), out, nil)
	pressed, ended := make(chan byte), make(chan error, 1)
	go func() { ended <- converse(t.Context(), a, c, pressed) }()
	until := func(want string) {
		for !strings.Contains(<-out.drawn, want) {
		}
	}
	press := func(keys string) {
		for _, key := range []byte(keys) {
			for sent := false; !sent; {
				select {
				case pressed <- key:
					sent = true
				case <-out.drawn:
				}
			}
		}
	}
	until("   a leads\r\n")
	press("k")
	until("> kill ?")
	press("a")
	until("> kill a: done")
	until("   no leader\r\n")
	press("sa")
	until("> stop a: a is down")
	press("hb")
	until("> heal b: there is no member b")
	press("q")
	for {
		select {
		case <-out.drawn:
			continue
		case err := <-ended:
			require.NoError(t, err)
		}
		break
	}
	s := c.Close()
	// On a busy machine a lease may lapse, and the member leads again.
	require.NotEmpty(t, s.Leases)
}
