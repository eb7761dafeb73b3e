package electiontest

import (
	"fmt"

	"github.com/go-election/election/lab/check"
)

// turnedRound simulates elections with the order of Ranks turned round, and visits the states of a few.
// There are fewer of both than in the usual order: a Node that compares Ranks alone cannot distinguish the
// difference. One that takes an ID from elsewhere, as from a Message.Value that its Kind does not say to
// name a process, can.
func turnedRound(t *trial) error {
	a, err := t.Smallest()
	if err != nil {
		return err
	}
	turned := *t
	turned.Algorithm, turned.Seeds = a, (t.Seeds+3)/4
	if err := simulation(&turned); err != nil {
		return fmt.Errorf("where the smallest wins: %w", err)
	}
	for _, n := range t.small() {
		if n > 3 {
			break
		}
		if err := turned.visit(network{upTo(n), func(*check.Config) {}}); err != nil {
			return fmt.Errorf("where the smallest wins: %w", err)
		}
	}
	return nil
}
