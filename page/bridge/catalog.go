package bridge

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
)

// listed is an algorithm as the page knows it.
type listed struct {
	Name      string     `json:"name"`
	Variant   string     `json:"variant"`
	Title     string     `json:"title"`
	Source    string     `json:"source"`
	Wins      string     `json:"wins"`
	Shape     string     `json:"shape"`
	TwoWay    bool       `json:"twoWay"`
	Params    []param    `json:"params"`
	Kinds     []kind     `json:"kinds"`
	Timers    [][]string `json:"timers"`
	Best      string     `json:"best"`
	Mean      string     `json:"mean"`
	Worst     string     `json:"worst"`
	FIFO      bool       `json:"fifo"`      // it needs links that keep messages in order
	Root      bool       `json:"root"`      // its tree has a root
	Single    bool       `json:"single"`    // one process starts
	Leases    bool       `json:"leases"`    // a process leads for a time only
	LongLived bool       `json:"longLived"` // one run holds many elections
	Endless   bool       `json:"endless"`   // no run comes to rest
	Groups    bool       `json:"groups"`    // each group has a leader
	Faults    faults     `json:"faults"`
	Defaults  defaults   `json:"defaults"`
}

type param struct {
	Name    string   `json:"name"`
	Meaning string   `json:"meaning"`
	Default string   `json:"default"`
	Kind    string   `json:"kind"`
	Choices []string `json:"choices,omitempty"`
}

type kind struct {
	Name     string `json:"name"`
	Announce bool   `json:"announce"` // part of the announcement, not of the election proper
}

// faults are what an algorithm survives.
type faults struct {
	Crash    bool    `json:"crash"`
	Recover  bool    `json:"recover"`
	Restart  bool    `json:"restart"`
	Reported bool    `json:"reported"` // only if a failure detector reports each crash
	Loss     bool    `json:"loss"`
	Copies   bool    `json:"copies"`
	Pause    bool    `json:"pause"`
	Cut      bool    `json:"cut"`
	Drift    float64 `json:"drift"`
}

// defaults are what a first look at an algorithm runs with.
type defaults struct {
	N      int            `json:"n"`
	Params map[string]any `json:"params,omitempty"`
	Until  float64        `json:"until,omitempty"` // of a run that does not end
}

// catalog lists the algorithms.
func (b *Bridge) catalog(context.Context, json.RawMessage, func(any)) (Reply, error) {
	all := []listed{}
	for _, a := range catalog.All() {
		all = append(all, describe(a))
	}
	return written(all)
}

func describe(a *election.Algorithm) listed {
	l := listed{
		Name: a.Name, Variant: a.Variant, Title: a.Title(), Source: a.Source,
		Wins: a.Wins(), Shape: string(a.Topology), TwoWay: a.TwoWay, Params: []param{}, Kinds: []kind{},
		Timers: a.Timers, Best: a.Best.Words(), Mean: a.Mean.Words(), Worst: a.Worst.Words(),
		FIFO: a.NeedsFIFO, Root: a.Knows == election.RootPort, Single: a.SingleInitiator, Leases: a.Elects == election.LeaseHolders,
		LongLived: a.LongLived(), Endless: a.NeverQuiesces, Groups: a.Elects == election.GroupLeaders,
		Faults: faults{Crash: a.Faults.Crash != election.NoCrash,
			Recover: a.Faults.Crash == election.MayRecover, Restart: a.Faults.Crash > election.StaysDown,
			Reported: a.Faults.Reported, Loss: a.Faults.Loss, Copies: a.Faults.Copies, Pause: a.Faults.Pause,
			Cut: a.Faults.Cut, Drift: a.Faults.Drift},
		Defaults: defaults{N: usual(a.Topology), Until: units(endOf(a))},
	}
	if a.Elects == election.LeaseHolders { // one ends while the reader looks, and clocks are as the checker counts them
		l.Defaults.Params = map[string]any{"lease": 12, "drift": 0}
	}
	if l.Timers == nil {
		l.Timers = [][]string{}
	}
	for i := range a.Params {
		p := &a.Params[i]
		// A row without a kind is read by another table, such as the election below a lock service.
		l.Params = append(l.Params, param{p.Name, p.About, p.Default, cmp.Or(p.To.Kind(), "text"),
			p.To.Choices()})
	}
	for i := range a.Kinds {
		l.Kinds = append(l.Kinds, kindOf(&a.Kinds[i]))
	}
	return l
}

func kindOf(k *election.Kind) kind { return kind{k.Name, k.Announces} }

// usual returns the number of processes with which a shape is seen best.
func usual(shape election.Shape) int {
	switch shape {
	case election.Complete:
		return 5
	case election.Tree:
		return 15
	case election.Mesh:
		return 12
	}
	return 8
}
