package electiontest

import (
	"fmt"

	"github.com/go-election/election/lab/check"
)

// turnedRound simulates elections with the order of Ranks reversed, and visits the states of a few. It needs
// fewer of both than the usual order: a Node that only compares Ranks cannot notice the difference. A Node can
// that takes an ID from elsewhere, such as a Message.Value that its Kind does not declare as the ID of a
// process.
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
