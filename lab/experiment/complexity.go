package experiment

import (
	"context"
	"fmt"
	"math"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/params"
)

// Complexity is the equations (1) to (10) of the paper, each for every number of processes from
// [FewestProcesses] to N, and for every process that may notice the crash.
type Complexity struct {
	N int // If zero, 10.

	// Progress, if not nil, is called after each election.
	Progress func(elections int)
}

// The bounds of a [Complexity].
const (
	MostMeasured = 100 // processes
	MostPatterns = 10  // processes of which every set is let crash
)

// Row is an equation for one n and one i, or for all i together.
type Row struct {
	Equation *Equation
	N        int
	I        int     // the process that notices; zero for all together
	Paper    float64 // NaN if the paper has no formula for this case
	Formula  float64
	Measured float64
}

// Differs reports whether the measured count differs from the corrected formula.
func (r *Row) Differs() bool { return math.Abs(r.Measured-r.Formula) > 1e-9 }

// Complete fills in what is not given. The error wraps [election.ErrInput].
func (c *Complexity) Complete() error {
	if c.N == 0 {
		c.N = 10
	}
	if c.N < FewestProcesses || c.N > MostMeasured {
		return input.Errorf("%d processes, it must be from %d to %d", c.N, FewestProcesses, MostMeasured)
	}
	return nil
}

// Run measures every row with an election of its own, or with several. The rows of one equation
// are together, by n and i.
func (c Complexity) Run(ctx context.Context) ([]Row, error) {
	if err := c.Complete(); err != nil {
		return nil, err
	}
	m := &measuring{ctx: ctx, progress: c.Progress}
	var rows []Row
	equations := Equations()
	for k := range equations {
		e := &equations[k]
		for n := FewestProcesses; n <= c.N; n++ {
			// The number of sets of crashed processes doubles with each process.
			if e.pattern == most && n > MostPatterns {
				break
			}
			some, err := m.rows(e, n)
			if err != nil {
				return nil, fmt.Errorf("%s for %d processes: %w", e.Name, n, err)
			}
			rows = append(rows, some...)
		}
	}
	return rows, nil
}

// measuring counts the elections.
type measuring struct {
	ctx       context.Context
	progress  func(int)
	elections int
}

// rows measures an equation for n processes.
func (m *measuring) rows(e *Equation, n int) ([]Row, error) {
	first, last := 1, n-1
	switch e.pattern {
	case allUp:
		last = n - 2
	case topStarts:
		first = n - 1
	case most:
		messages, err := m.most(e.Variant, n)
		return []Row{e.row(n, 0, float64(messages))}, err
	}
	var rows []Row
	sum := 0.0
	for i := first; i <= last; i++ {
		aboveUp := e.pattern == allUp || e.pattern == topStarts
		messages, err := m.measure(e.Variant, n, i, func(id int) bool { return id <= i || aboveUp })
		if err != nil {
			return nil, err
		}
		sum += float64(messages)
		rows = append(rows, e.row(n, i, float64(messages)))
	}
	if e.pattern == meanDown {
		return []Row{e.row(n, 0, sum/float64(n-1))}, nil
	}
	return rows, nil
}

func (e *Equation) row(n, i int, measured float64) Row {
	r := Row{Equation: e, N: n, I: i, Paper: math.NaN(), Formula: e.Value(n, i), Measured: measured}
	if e.Paper != nil {
		r.Paper = e.Paper(n, i)
	}
	return r
}

// most returns the largest number of messages over every set of processes that are up, and every one
// of these that may notice.
func (m *measuring) most(variant string, n int) (most uint64, err error) {
	for up := uint(1); up < 1<<(n-1); up++ {
		isUp := func(id int) bool { return up>>(id-1)&1 == 1 }
		for i := 1; i < n; i++ {
			if !isUp(i) {
				continue
			}
			messages, err := m.measure(variant, n, i, isUp)
			if err != nil {
				return 0, err
			}
			most = max(most, messages)
		}
	}
	return most, nil
}

// measure returns how many messages an election among n processes takes if i notices that n is down.
func (m *measuring) measure(variant string, n, i int, up func(id int) bool) (uint64, error) {
	config := sim.Config{}
	config.IDs = upTo(n)
	config.Initiators = []election.ID{election.ID(i)}
	for _, id := range config.IDs {
		if int(id) == n || !up(int(id)) {
			config.Crashed = append(config.Crashed, id)
		}
	}
	var err error
	params := map[string]params.Value{"coordinator": {Number: float64(n)}}
	if config.Algorithm, err = find(variant, params, config.IDs, sim.Unit); err != nil {
		return 0, err
	}
	if err := config.Check(); err != nil { // it completes the Config, whose Winner needs the topology
		return 0, err
	}
	r, err := sim.Run(m.ctx, config)
	if err != nil {
		return 0, err
	}
	if err := config.Elected(&r.Result); err != nil {
		return 0, err
	}
	if m.elections++; m.progress != nil {
		m.progress(m.elections)
	}
	return r.Messages, nil
}
