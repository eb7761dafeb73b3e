package scenario

import (
	"bytes"
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
		p.wrong("0 is no process's id")
	}
	return election.ID(id)
}

// whole reads a whole number, or a text that holds one, as scenarios write those that are too
// large for many readers of JSON.
func (p *parser) whole(what string) uint64 {
	c := p.next()
	// A minus is read as part of the number, so that the error shows the whole number and not one character.
	if c != '"' && c != '-' && !isDigit(c) {
		p.unfit(what)
		return 0
	}
	start := p.at
	var digits []byte
	if c == '"' {
		digits = []byte(p.str())
	} else {
		digits = p.numeral()
	}
	if p.err != nil {
		return 0
	}
	if !isWhole(digits) {
		// Point the error at the beginning of the number, not behind it.
		p.at = start
		p.unfit(what)
		return 0
	}
	n, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil {
		p.wrong("%s is larger than %d", cut(string(digits)), uint64(math.MaxUint64))
	}
	return n
}

// isWhole reports whether b holds digits only, and none too many.
func isWhole(b []byte) bool {
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
	}
	return len(b) == 1 || len(b) > 1 && b[0] != '0'
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
	if c := p.next(); c != '-' && !isDigit(c) {
		p.unfit(what)
		return 0
	}
	start := p.at
	numeral := p.numeral()
	if p.err != nil {
		return 0
	}
	f := valueOf(numeral)
	switch {
	case f > maxExact:
		p.wrong("%s is larger than %d", cut(string(numeral)), int64(maxExact))
	case f < 0:
		p.at = start
		p.unfit(what)
	}
	// A minus zero is in order in JSON and means zero here. It must not be written back with its sign.
	return math.Abs(f)
}

// valueOf returns the value of a numeral. It is infinite if it is out of range.
func valueOf(numeral []byte) float64 {
	f, _ := strconv.ParseFloat(string(numeral), 64)
	return f
}

// time reads a time in units.
func (p *parser) time() time.Duration {
	if c := p.next(); c != '-' && !isDigit(c) {
		p.unfit("a time")
		return 0
	}
	start := p.at
	numeral := p.numeral()
	if p.err != nil {
		return 0
	}
	units := valueOf(numeral)
	switch {
	case numeral[0] == '-' && units != 0:
		p.at = start
		p.unfit("a time")
	case units > maxUnits:
		p.wrong("%s is longer than %d units", cut(string(numeral)), maxUnits)
	}
	if p.err != nil {
		return 0
	}
	// Round: 0.1 units times 10^9 may fall just below a whole number of nanoseconds, and truncation would
	// lose one.
	return time.Duration(math.Round(units * float64(Unit)))
}

// truth reads true or false.
func (p *parser) truth() *bool {
	c := p.next()
	if c != 't' && c != 'f' {
		p.unfit("true or false")
		return new(bool)
	}
	start := p.at
	word := string(p.word())
	if word != "true" && word != "false" {
		p.at = start
		p.unfit("true or false")
	}
	yes := word == "true"
	return &yes
}

// null reads a null, if there is one.
func (p *parser) null() bool {
	if p.next() != 'n' || string(p.peekWord()) != "null" {
		return false
	}
	p.word()
	return true
}

func (p *parser) text() string {
	if p.next() != '"' {
		p.unfit("a text")
		return ""
	}
	return p.str()
}

// oneOf reads a text that is one of a few.
func oneOf[S ~string](p *parser, what string, names []S) S {
	if p.next() != '"' {
		p.unfit(what + " " + listed(names))
		return ""
	}
	s := p.str()
	if p.err == nil && !slices.Contains(names, S(s)) {
		p.wrong("%s is not %s %s", quote(s), what, listed(names))
	}
	return S(s)
}

// listed returns the names in brackets.
func listed[S ~string](names []S) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// room returns a list with room for as many elements as there are commas up to the end of this one, and one.
func room[T any](p *parser) []T {
	rest := p.src[p.at:]
	// Only an estimate: a list may contain strings with commas. It never gets larger than the rest of the
	// input.
	before, _, ok := bytes.Cut(rest, []byte{']'})
	if !ok {
		return []T{}
	}
	return make([]T, 0, min(bytes.Count(before, []byte{','})+1, MaxProcesses))
}

func (p *parser) ids() []election.ID {
	all := room[election.ID](p)
	p.list(MaxProcesses, func(int) { all = append(all, p.id()) })
	return all
}

func (p *parser) wholes(what string) []uint64 {
	all := room[uint64](p)
	p.list(MaxProcesses, func(int) { all = append(all, p.whole(what)) })
	return all
}

func (p *parser) times() []time.Duration {
	all := room[time.Duration](p)
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
