package scenario

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election"
)

// What scenarios are made of, each with the words in which an error speaks of it.

const (
	// maxUnits bounds every time in a scenario.
	maxUnits = 1_000_000
	// maxExact is the largest whole number up to which every program reads JSON numbers exactly.
	maxExact = 1 << 53
)

func (p *parser) id() election.ID {
	id := p.whole("an id")
	if id == 0 {
		p.wrong("0 is not a valid id")
	}
	return election.ID(id)
}

// whole reads a whole number, or a text that contains one, as scenarios write numbers that are too
// large for many readers of JSON.
func (p *parser) whole(what string) uint64 {
	var digits string
	switch next := p.next.(type) {
	case string:
		digits = next
	case json.Number:
		digits = string(next)
	}
	if p.err != nil || !isWhole(digits) {
		p.unfit(what)
		return 0
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		p.wrong("%s is larger than %d", cut(digits), uint64(math.MaxUint64))
	}
	p.advance()
	return n
}

// isWhole reports whether s has digits only, and no needless zero in front.
func isWhole(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return len(s) == 1 || len(s) > 1 && s[0] != '0'
}

// size reads a whole number that counts processes.
func (p *parser) size(what string) int {
	n := p.whole(what)
	if n > MaxProcesses {
		p.wrong("%d is more than %d", n, MaxProcesses)
	}
	return int(n)
}

// number reads a number that is not negative, and not so large that whole numbers blur.
func (p *parser) number(what string) float64 {
	numeral, ok := p.next.(json.Number)
	f := valueOf(numeral)
	switch {
	case !ok || f < 0:
		p.unfit(what)
	case f > maxExact:
		p.wrong("%s is larger than %d", cut(string(numeral)), int64(maxExact))
	}
	p.advance()
	// A minus zero is in order in JSON and means zero here. It must not be written back with its sign.
	return math.Abs(f)
}

// valueOf returns the value of a numeral. It is infinite if it is out of range.
func valueOf(numeral json.Number) float64 {
	f, _ := strconv.ParseFloat(string(numeral), 64)
	return f
}

// time reads a time in units.
func (p *parser) time() time.Duration {
	numeral, ok := p.next.(json.Number)
	units := valueOf(numeral)
	switch {
	case !ok || strings.HasPrefix(string(numeral), "-") && units != 0:
		p.unfit("a time")
	case units > maxUnits:
		p.wrong("%s is longer than %d units", cut(string(numeral)), maxUnits)
	}
	if p.err != nil {
		return 0
	}
	p.advance()
	return inUnits(units)
}

// inUnits returns a time of some units. It rounds: 0.1 units times 10^9 may fall just below a whole number of
// nanoseconds, and truncation would lose one.
func inUnits(units float64) time.Duration { return time.Duration(math.Round(units * float64(Unit))) }

// truth reads true or false.
func (p *parser) truth() *bool {
	yes, ok := p.next.(bool)
	if !ok {
		p.unfit("true or false")
	}
	p.advance()
	return &yes
}

// null reads a null, if there is one.
func (p *parser) null() bool {
	if p.err != nil || p.next != nil {
		return false
	}
	p.advance()
	return true
}

func (p *parser) text() string {
	text, ok := p.next.(string)
	if !ok {
		p.unfit("a text")
	}
	p.advance()
	return text
}

// oneOf reads a text that is one of a few.
func oneOf[S ~string](p *parser, what string, names []S) S {
	text, ok := p.next.(string)
	if !ok || !slices.Contains(names, S(text)) {
		p.unfit(what + " " + listed(names))
	}
	p.advance()
	return S(text)
}

// listed returns the names in brackets.
func listed[S ~string](names []S) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

func (p *parser) ids() []election.ID {
	all := []election.ID{}
	p.list(MaxProcesses, func(int) { all = append(all, p.id()) })
	return all
}

func (p *parser) wholes(what string) []uint64 {
	all := []uint64{}
	p.list(MaxProcesses, func(int) { all = append(all, p.whole(what)) })
	return all
}

func (p *parser) times() []time.Duration {
	all := []time.Duration{}
	p.list(MaxProcesses, func(int) { all = append(all, p.time()) })
	return all
}

// tuple reads a list of as many values as there are readers.
func (p *parser) tuple(what string, elements ...func()) {
	n := 0
	p.list(len(elements), func(i int) {
		n++
		elements[i]()
	})
	if n < len(elements) {
		p.wrong("a list of %d is not %s", n, what)
	}
}

// ats reads pairs of an id and a time.
func (p *parser) ats() []At {
	all := []At{}
	p.list(MaxProcesses, func(int) {
		var at At
		p.tuple("a pair [id, time]", func() { at.ID = p.id() }, func() { at.Time = p.time() })
		all = append(all, at)
	})
	return all
}

// entries reads pairs of a time and an id.
func (p *parser) entries() []At {
	all := []At{}
	p.list(MaxProcesses, func(int) {
		var at At
		p.tuple("a pair [time, id]", func() { at.Time = p.time() }, func() { at.ID = p.id() })
		all = append(all, at)
	})
	return all
}

func (p *parser) edges() [][2]election.ID {
	all := [][2]election.ID{}
	p.list(MaxProcesses, func(int) {
		var edge [2]election.ID
		p.tuple("a pair of ids", func() { edge[0] = p.id() }, func() { edge[1] = p.id() })
		all = append(all, edge)
	})
	return all
}

// byID reads an object of which the names are ids.
func (p *parser) byID(value func(id election.ID)) {
	p.named(MaxProcesses, func(name string) {
		id, err := strconv.ParseUint(name, 10, 64)
		// No ID is 0, and a leading zero would give one ID two names in the object.
		if err != nil || name[0] == '0' {
			p.wrong("%s is not an id", quote(name))
			return
		}
		value(election.ID(id))
	})
}

func (p *parser) parents() map[election.ID]election.ID {
	all := make(map[election.ID]election.ID)
	p.byID(func(id election.ID) { all[id] = p.id() })
	return all
}
