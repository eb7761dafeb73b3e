package storetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-election/election/store"
)

func createOnce(r *run) error {
	const rounds = 10
	all, err := r.clients(8)
	if err != nil {
		return err
	}
	decided := 0
	for round := 0; decided < rounds; round++ {
		if round == 10*rounds {
			return fmt.Errorf("of %d races to create a key only %d have a winner", round, decided)
		}
		key := r.key()
		revisions, errs := make([]string, len(all)), make([]error, len(all))
		var together sync.WaitGroup
		for i, s := range all {
			together.Go(func() { revisions[i], errs[i] = r.put(s, key, value(1, "a", i), "") })
		}
		together.Wait()
		winner, wins, open := -1, 0, 0
		for i, err := range errs {
			switch {
			case err == nil:
				winner, wins = i, wins+1
			case !errors.Is(err, store.ErrConflict):
				open++
			}
		}
		switch {
		case wins > 1:
			return fmt.Errorf("%d of %d clients have created the same key", wins, len(all))
		case wins == 0 && open == 0:
			return fmt.Errorf("none of %d clients has created a key, and all got ErrConflict", len(all))
		case wins == 0:
			continue // the errors are of clients that hindered each other
		}
		if err := r.stored(all[0], key, value(1, "a", winner), revisions[winner]); err != nil {
			return err
		}
		decided++
	}
	return nil
}

// counter is a key that several clients increment.
type counter struct {
	r   *run
	key string

	mu        sync.Mutex
	winners   map[string]int  // revision: the client that replaced it
	written   map[string]int  // revision: the client that wrote it
	refused   map[string]bool // values that certainly are not written
	successes int
	open      int // Puts with another error
	last      time.Time
}

func increments(r *run) error {
	const clients, each = 4, 50
	all, err := r.clients(clients)
	if err != nil {
		return err
	}
	c := &counter{r: r, key: r.key(), winners: make(map[string]int), written: make(map[string]int),
		refused: make(map[string]bool), last: time.Now()}
	if _, err := r.create(all[0], c.key, value(0, "", 0)); err != nil {
		return err
	}
	errs := make([]error, clients)
	var together sync.WaitGroup
	for i, s := range all {
		together.Go(func() { errs[i] = c.count(i, s, each) })
	}
	together.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	var end record
	if !r.until(func() bool { end, _, err = c.read(all[0]); return err == nil && end.Beat >= c.successes }) {
		if err != nil {
			return err
		}
		return fmt.Errorf("increments are lost: %d Puts succeeded, but the counter is %d", c.successes, end.Beat)
	}
	if end.Beat > c.successes+c.open {
		return fmt.Errorf("%d Puts succeeded and the outcome of %d is open, but the counter is %d: a Put that returned "+
			"ErrConflict was carried out, or one was carried out twice", c.successes, c.open, end.Beat)
	}
	if c.open > 0 {
		return remark("%d of %d Puts returned an error other than ErrConflict", c.open, c.successes+c.open+len(c.refused))
	}
	return nil
}

// count increments the counter until it has succeeded often enough.
func (c *counter) count(client int, s store.Store, times int) error {
	for attempt, done := 1, 0; done < times; attempt++ {
		now, revision, err := c.read(s)
		if err != nil {
			return err
		}
		v := value(int64(attempt), string(rune('a'+client)), now.Beat+1)
		written, err := c.r.put(s, c.key, v, revision)
		ok, wrong := c.note(client, v, revision, written, err)
		switch {
		case wrong != nil:
			return wrong
		case ok:
			done++
		default:
			time.Sleep(rand.N(10 * time.Millisecond))
		}
	}
	return nil
}

// read returns the counter.
func (c *counter) read(s store.Store) (now record, revision string, err error) {
	text, revision, err := c.r.get(s, c.key)
	if err != nil {
		return record{}, "", fault("Get, while several clients write: %w", err)
	}
	c.mu.Lock()
	refused := c.refused[string(text)]
	c.mu.Unlock()
	if refused {
		return record{}, "", fmt.Errorf("the value of a Put that returned ErrConflict is stored: %.200q", text)
	}
	if err := json.Unmarshal(text, &now); err != nil {
		return record{}, "", fault("Get returns %.200q, which nobody wrote", text)
	}
	return now, revision, nil
}

// note judges the answer to a Put and reports whether it has incremented the counter.
func (c *counter) note(client int, v []byte, revision, written string, err error) (ok bool, wrong error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case errors.Is(err, store.ErrConflict):
		c.refused[string(v)] = true
	case err != nil:
		c.open++
	default:
		if other, twice := c.winners[revision]; twice {
			return false, fmt.Errorf("two Puts with the same revision %.80q succeeded, of clients %d and %d", revision,
				other+1, client+1)
		}
		if other, twice := c.written[written]; twice {
			return false, fmt.Errorf("two Puts, of clients %d and %d, returned the same revision %.80q", other+1, client+1,
				written)
		}
		c.winners[revision], c.written[written] = client, client
		c.successes++
		c.last = time.Now()
		return true, nil
	}
	if time.Since(c.last) > c.r.o.Patience {
		return false, fmt.Errorf("no Put succeeds while several clients write; the last error: %w", err)
	}
	return false, nil
}

func gets(r *run) error {
	const readers, beats = 8, 50
	all, err := r.clients(2)
	if err != nil {
		return err
	}
	key := r.key()
	revision, err := r.create(all[0], key, value(1, "a", 0))
	if err != nil {
		return err
	}
	written := map[string][]byte{revision: value(1, "a", 0)}
	type pair struct{ value, revision string }
	seen := make([]map[pair]bool, readers)
	errs := make([]error, readers)
	done := make(chan struct{})
	var reads atomic.Int64
	var together sync.WaitGroup
	for i := range readers {
		seen[i] = make(map[pair]bool)
		together.Go(func() {
			for n := 0; errs[i] == nil; n++ {
				var v []byte
				var at string
				if v, at, errs[i] = r.get(all[1], key); errs[i] == nil {
					seen[i][pair{string(v), at}] = true
					reads.Add(1)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	began := time.Now()
	for beat := 1; err == nil && (beat < beats || reads.Load() < readers*beats && time.Since(began) < r.o.Patience); beat++ {
		v := value(1, "a", beat)
		if revision, err = r.update(all[0], key, v, revision); err == nil {
			written[revision] = v
		}
	}
	close(done)
	together.Wait()
	if err := errors.Join(append(errs, err)...); err != nil {
		return fmt.Errorf("one client writes, and another one calls Get from %d goroutines: %w", readers, err)
	}
	for _, pairs := range seen {
		for p := range pairs {
			if want := written[p.revision]; !bytes.Equal(want, []byte(p.value)) {
				return fault("Get returns %.200q with the revision %.80q, at which %.200q was written: they do not "+
					"belong together", p.value, p.revision, want)
			}
		}
	}
	return nil
}
