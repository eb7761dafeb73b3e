package s3store

import (
	"errors"
	"flag"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/go-election/election/internal/grouptest"
	"github.com/go-election/election/store"
)

var command = flag.String("server", "", "how to start a server to test with, instead of an emulator: a command with the words "+
	"ADDRESS and DIR; the keys in the environment must have the right to create a bucket")

// serve runs a server with a bucket until the test ends.
func serve(t *testing.T) grouptest.Server {
	if *command == "" {
		memory := s3mem.New()
		if err := memory.CreateBucket("bucket"); err != nil {
			t.Fatal(err)
		}
		return grouptest.Handle(t, gofakes3.New(memory, gofakes3.WithLogger(gofakes3.DiscardLog())).Server())
	}
	address := grouptest.Free(t)
	words := strings.Fields(strings.NewReplacer("ADDRESS", address, "DIR", t.TempDir()).Replace(*command))
	var c *exec.Cmd
	stop := func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	start := func() {
		c = exec.Command(words[0], words[1:]...)
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			r, put := at(t, "http://"+address, nil).send(t.Context(), http.MethodPut, "bucket", nil, nil)
			if put == nil {
				_ = r.Body.Close()
			}
			_, _, err := open(t, address, nil).Get(t.Context(), "ready")
			switch {
			case errors.Is(err, store.ErrAbsent):
				return
			case time.Now().After(end):
				t.Fatalf("the server does not answer: %v, %v", put, err)
			}
		}
	}
	start()
	t.Cleanup(func() { stop() })
	return grouptest.Server{Address: address, Stop: stop, Start: start}
}

// open returns a Store in the bucket of a server.
func open(tb testing.TB, address string, client *http.Client) *Store {
	return at(tb, "http://"+address+"/bucket/leases", client)
}

func at(tb testing.TB, bucket string, client *http.Client) *Store {
	c := Config{Bucket: bucket, Client: client}
	if *command == "" {
		c.Credentials = fixed
	}
	s, err := New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}
