package catalog_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/params"
)

// unused are the names of fields that no run of TestFieldsHaveNames uses, and why the field has one.
var unused = map[string]string{
	"lease claim: next":                     resigns,
	"lease handoff: incarnation":            resigns,
	"lease memory: lease":                   differs,
	"lease holds: label":                    changes,
	"lease holds: lost":                     changes,
	"lease member: label":                   changes,
	"lease member: new":                     changes,
	"lease member: new called":              changes,
	"lease member: of":                      changes,
	"lease member: old":                     changes,
	"lease member: old called":              changes,
	"lease member: voters":                  changes,
	"lease refused: unknown":                changes,
	"storelease put: released":              resigns,
	"storelease value: released":            resigns,
	"mutex/arbiter request: section":        oneSection,
	"mutex/arbiter grant: section":          oneSection,
	"mutex/arbiter release: section":        oneSection,
	"mutex/ricartagrawala request: section": oneSection,
	"mutex/ricartagrawala ok: section":      oneSection,
	"mutex/tokenring token: section":        oneSection,
	"mutex/tokenring candidate: section":    oneSection,
}

const (
	resigns    = "a leader resigns by a command of its program"
	changes    = "only programs change the voters"
	differs    = "only programs tell a process that another one has a longer Lease"
	oneSection = "only programs have more than one section"
)

// with are parameters of every second run, without which some fields are not used.
var with = map[string]map[string]params.Value{
	"invitation":           {"interval": {Number: 20}},
	"modbully/convenience": {"echo": {Text: "yes"}},
	"storelease":           {"fails": {Number: 5}},
}

// used is what messages of one kind have carried.
type used struct {
	round, value bool
	flags        uint8
}

// TestFieldsHaveNames: each field of a message that is not zero in some run has a name, each bit of Flags
// too, and no field has one that is zero in all.
func TestFieldsHaveNames(t *testing.T) {
	var wrong []string
	for _, a := range catalog.All() {
		all := make([]used, len(a.Kinds))
		for seed := range uint64(200) {
			c := soak.Config{Algorithm: a}
			if seed%2 == 1 {
				c.Params = with[a.Title()]
			}
			plan, err := c.Plan(seed)
			require.NoError(t, err)
			sent := make([]used, len(plan.Algorithm.Kinds)+1)
			require.Nil(t, plan.Run(func(o *observe.Occurrence) {
				if o.Effects == nil {
					return
				}
				for i := range o.Effects.Sends {
					m := &o.Effects.Sends[i].Msg
					sent[m.Kind].add(used{m.Round != 0, m.Value != 0, m.Flags})
				}
			}).Violation)
			for i := range plan.Algorithm.Kinds {
				k := plan.Algorithm.KindOf(uint8(i + 1))
				wrong = append(wrong, sent[i+1].without(a, &k)...)
				// The parameters may have chosen another election for an arbiter, which has other kinds.
				if i < len(all) && k.Name == a.Kinds[i].Name {
					all[i].add(sent[i+1])
				}
			}
		}
		for i := range a.Kinds {
			k := a.KindOf(uint8(i + 1))
			wrong = append(wrong, all[i].needless(a, &k)...)
		}
	}
	slices.Sort(wrong)
	require.Empty(t, slices.Compact(wrong))
}

func (u *used) add(o used) {
	u.round, u.value, u.flags = u.round || o.round, u.value || o.value, u.flags|o.flags
}

// without lists the fields that have no name.
func (u *used) without(a *election.Algorithm, k *election.Kind) (all []string) {
	for _, f := range []struct {
		field, name string
		used        bool
	}{{"round", k.Round, u.round}, {"value", k.Value, u.value},
		{"flags", k.Flags, u.flags&^marked(k) != 0}} {
		if f.used && f.name == "" {
			all = append(all, fmt.Sprintf("%s %s has no name for %s", a.Title(), k.Name, f.field))
		}
	}
	return all
}

// needless lists the names of fields that are not used.
func (u *used) needless(a *election.Algorithm, k *election.Kind) (all []string) {
	none := func(name string, used bool) {
		text := fmt.Sprintf("%s %s: %s", a.Title(), k.Name, name)
		if name != "" && !used != (unused[text] != "") {
			all = append(all, text)
		}
	}
	none(k.Round, u.round)
	none(k.Value, u.value)
	none(k.Flags, u.flags&^marked(k) != 0)
	for bit, name := range k.Marks {
		none(name, u.flags>>bit&1 == 1)
	}
	return all
}

// marked returns the bits of Flags that have names of their own.
func marked(k *election.Kind) (bits uint8) {
	for bit, name := range k.Marks {
		if name != "" {
			bits |= 1 << bit
		}
	}
	return bits
}
