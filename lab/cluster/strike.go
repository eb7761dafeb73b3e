package cluster

import (
	"context"
	"errors"
	"fmt"
)

// strike does something to a member.
func (c *Cluster) strike(ctx context.Context, do string, p *process) error {
	c.mu.Lock()
	c.happened(Event{What: do, Member: p.Self})
	if do != doHeal && do != doContinue {
		c.note(do, p)
	}
	ended, err := c.act(do, p)
	c.change()
	c.mu.Unlock()
	if err != nil {
		return err
	}
	if ended != nil {
		if err := c.awaitEnd(ctx, ended); err != nil {
			return err
		}
	}
	if do != doRestart {
		return nil
	}
	if err := c.start(p); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.isolate() // the others may still cut off its predecessor
}

// note notes what is done to a leader, and when. The caller holds mu.
func (c *Cluster) note(do string, p *process) {
	for _, l := range c.leases {
		if _, already := c.struck[l.Term]; !already && l.Member == p.Self && !l.ended && c.now() < l.Until {
			c.struck[l.Term] = blow{do, c.now()}
		}
	}
}

// act does it, and returns what to wait for, if anything. The caller holds mu.
func (c *Cluster) act(do string, p *process) (ended <-chan struct{}, err error) {
	switch do {
	case doKill, doRestart:
		if p.state == Down {
			return nil, nil
		}
		p.expected = true
		return p.ended, p.program.do(doKill)
	case doTerm:
		p.expected = true
		return p.ended, p.program.do(do)
	case doStop:
		if err := p.program.do(do); err != nil {
			return nil, err
		}
		p.state = Stopped
		return nil, nil
	case doContinue:
		p.state = Up
		return nil, p.program.do(do)
	case doCut:
		p.state = Cut
	case doHeal:
		p.state = Up
	}
	return nil, c.isolate()
}

// isolate informs all members which of them are cut off. The caller holds mu.
func (c *Cluster) isolate() (err error) {
	// Each member cuts its outgoing packets. A paused member does so when it resumes.
	for _, p := range c.members {
		if p.state != Down {
			err = errors.Join(err, c.command(p, order{Do: doIsolate, Isolated: c.isolated()}))
		}
	}
	return err
}

func (c *Cluster) awaitEnd(ctx context.Context, ended <-chan struct{}) error {
	return c.await(ctx, c.patience(), "a member to end", func() (bool, error) {
		select {
		case <-ended:
			return true, nil
		default:
			return false, nil
		}
	})
}

// refusal returns why the holder of this lease, if there is one, cannot hand over.
func (c *Cluster) refusal(l *Lease, s Step) error {
	switch {
	case l == nil:
		return errors.New("no member leads that can be reached")
	case s.Do != doTransfer:
		return nil
	case c.named(s.To) == nil:
		return fmt.Errorf("there is no member %s", s.To)
	case l.Member == s.To:
		return fmt.Errorf("%s leads already", s.To)
	}
	return nil
}

// handOver makes the leader hand over.
func (c *Cluster) handOver(ctx context.Context, s Step) error {
	c.mu.Lock()
	l := c.holder()
	if err := c.refusal(l, s); err != nil {
		c.mu.Unlock()
		return err
	}
	p := c.named(l.Member)
	c.order++
	number, answer := c.order, make(chan report, 1)
	c.orders[number] = answer
	c.happened(Event{What: s.Do, Member: s.To})
	c.note(s.Do, p)
	ended := p.ended
	err := c.command(p, order{Do: s.Do, Number: number, To: s.To})
	c.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case r := <-answer:
		switch {
		case r.Error != "":
			return errors.New(r.Error)
		case s.Do == doResign:
			return nil
		}
		// The successor may report its lease later than the leader reports that it has handed over.
		return c.await(ctx, c.patience(), s.To+" to lead", func() (bool, error) {
			return c.holds(s.To) == nil,
				nil
		})
	case <-ended:
		return fmt.Errorf("%s has ended", p.Self)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
