package scenario

import (
	"maps"
	"math"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/params"
)

// checkDraws wants a list for each process, of numbers from 1 on.
func (in *Input) checkDraws() error {
	if in.Draws == nil {
		return nil
	}
	if len(in.Draws) != len(in.IDs) {
		return input.Errorf("draws: %d lists for %d ids", len(in.Draws), len(in.IDs))
	}
	for p, list := range in.Draws {
		for i, draw := range list {
			if draw < 1 {
				return input.Errorf("draws[%d][%d]: %d is less than 1", p, i, draw)
			}
		}
	}
	return nil
}

// Draw returns what process p draws from 1 to n when it has drawn before as many times as nth says. The Input
// must have Draws. The error wraps [election.ErrInput]: its list has ended, or has a larger number there.
func (in *Input) Draw(p, nth, n int) (int, error) {
	list := in.Draws[p]
	if nth >= len(list) {
		return 0, input.Errorf("draws[%d]: %d draws more than the %d numbers of its list", p, in.IDs[p],
			len(list))
	}
	if list[nth] > n {
		return 0, input.Errorf("draws[%d][%d]: %d draws from 1 to %d, not %d", p, nth, in.IDs[p], n,
			list[nth])
	}
	return list[nth], nil
}

// ParamsOf returns the parameters of the scenario for an algorithm. Where the scenario says what processes
// draw but not from how many numbers, they draw from as many as there are processes, or up to the largest
// number that is drawn.
func (s *Scenario) ParamsOf(a *election.Algorithm) map[string]params.Value {
	name := a.Params.NameOf(params.DrawRange)
	if _, given := s.Params[name]; given || name == "" || s.Draws == nil {
		return s.Params
	}
	// A process that is alone draws from one number too. As a parameter k=1 is refused: it says nothing of
	// how many there are.
	most := max(2, len(s.IDs))
	for _, list := range s.Draws {
		for _, draw := range list {
			most = max(most, draw)
		}
	}
	all := map[string]params.Value{name: {Number: float64(most)}}
	maps.Copy(all, s.Params)
	return all
}

// draws reads a list of numbers for each process.
func (p *parser) draws() [][]int {
	all := [][]int{}
	p.list(MaxProcesses, func(int) {
		list := []int{}
		p.list(maxSteps, func(int) { list = append(list, int(p.upTo("a draw", math.MaxInt32))) })
		all = append(all, list)
	})
	return all
}
