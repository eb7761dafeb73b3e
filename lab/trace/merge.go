package trace

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/observe"
)

// Part is a trace of some of the processes of a run, as a program that runs one of them writes it.
type Part struct {
	Name  string // for errors, such as the name of its file
	Trace *Trace
}

// Merge makes one trace of parts, each of which holds other processes of the same run. If a receipt does not
// name its sending, Merge takes the first equal message of the same link that has not arrived yet. The lines
// are put into a causal order. Each part has its own clock. Merge puts slow clocks forward, just far enough
// that nothing arrives before it was sent.
//
// A process may have a further part if it has come back: one that begins with a restart, or with a
// rejoin. Before that, there is a crash.
//
// Parts that do not fit together give an error that wraps [election.ErrInput]: they are of different
// runs, two hold the same process, something was received and not sent, or everything waits for
// something else.
func Merge(parts ...Part) (*Trace, error) {
	if len(parts) == 0 {
		return nil, input.Errorf("nothing to merge")
	}
	m := &merger{parts: parts, header: parts[0].Trace.Header,
		of: make([][]*stretch, len(parts[0].Trace.Header.Scenario.IDs))}
	m.where = make(map[election.ID]int)
	for p, id := range m.header.Scenario.IDs {
		m.where[id] = p
	}
	for k := range parts {
		// Drivers and seeds may differ between programs, but not what they run.
		if d := diffHeaders(&m.header, &parts[k].Trace.Header); d != nil {
			return nil, input.Errorf("%s is the trace of another run than %s: algorithm, processes, links "+
				"or "+
				"parameters differ",
				parts[k].Name, parts[0].Name)
		}
		if err := m.take(k); err != nil {
			return nil, err
		}
	}
	if err := m.match(); err != nil {
		return nil, err
	}
	m.synchronize()
	return m.order()
}

// merger is the state of a Merge.
type merger struct {
	parts  []Part
	header Header
	where  map[election.ID]int
	all    []*stretch
	of     [][]*stretch // of each process, one after another
	pairs  []pair
}

// stretch is what a part holds of a process. It has one clock.
type stretch struct {
	part, process int
	lines         []int   // of the events, in the part; 0 for a crash that is in none
	events        []Event // by their new numbers
	first         uint64  // what is added to a number of the part
	from          []*stretch
	forward       time.Duration
	next          int
}

// pair is a sending and its receipt.
type pair struct{ sent, received *stretch }

// take divides a part by processes.
func (m *merger) take(k int) error {
	own := make(map[election.ID]*stretch)
	part := &m.parts[k]
	for i := range part.Trace.Events {
		e := part.Trace.Events[i]
		s := own[e.Process]
		if s == nil {
			s = &stretch{part: k, process: m.where[e.Process]}
			if err := m.join(s, part.Trace.Events[i:]); err != nil {
				return err
			}
			own[e.Process] = s
		}
		e.Seq += s.first
		s.lines = append(s.lines, Line(i))
		s.events = append(s.events, e)
	}
	for _, s := range own { // numbers within the part are now those of the whole
		for i := range s.events {
			if from := &s.events[i].From; own[from.Process] != nil {
				from.Seq += own[from.Process].first
			}
		}
	}
	return nil
}

// join appends a stretch to the stretches of its process.
func (m *merger) join(s *stretch, events []Event) error {
	before := m.of[s.process]
	m.all = append(m.all, s)
	m.of[s.process] = append(before, s)
	if len(before) == 0 {
		return nil
	}
	last := before[len(before)-1]
	back := events[0].Do == observe.Restart || events[0].Do == observe.Recover
	if events[0].Do == observe.Init {
		for i := range events[1:] {
			if e := &events[i+1]; e.Process == events[0].Process {
				back = e.Do == observe.Rejoin
				break
			}
		}
	}
	if !back {
		return input.Errorf("%s holds process %d, and so does %s: only what comes back has a further part",
			m.parts[s.part].Name, events[0].Process, m.parts[last.part].Name)
	}
	end := &last.events[len(last.events)-1]
	s.first = end.Seq
	// A program that was killed did not write its own crash. Without that event the return would be
	// impossible.
	if end.Do != observe.Crash {
		s.first++
		last.events = append(last.events, Event{Process: end.Process, Seq: s.first, At: end.At,
			Do: observe.Crash})
		last.lines = append(last.lines, 0)
	}
	return nil
}

// match finds the sending of each receipt.
func (m *merger) match() error {
	sent, taken := make(map[under][]Ref), make(map[Ref]bool)
	at := make(map[Ref]*stretch)
	for _, s := range m.all {
		for i := range s.events {
			// A sending that some receipt names is not free for a receipt that names none.
			if e := &s.events[i]; e.Do == observe.Deliver || e.Do == observe.Lose {
				taken[e.From] = true
			}
		}
	}
	for _, list := range m.of {
		for _, s := range list {
			for i := range s.events {
				e := &s.events[i]
				if e.Do != observe.Send {
					continue
				}
				at[e.Ref()] = s
				if q, back, ok := m.header.Links.Link(s.process, e.Port); ok && !taken[e.Ref()] {
					// Equal messages of one link are listed in the order of sending, so the first receipt
					// gets the first of them.
					u := under{from: e.Process, to: m.header.Scenario.IDs[q], port: back, message: e.Message}
					sent[u] = append(sent[u], e.Ref())
				}
			}
		}
	}
	for _, list := range m.of {
		for _, s := range list {
			s.from = make([]*stretch, len(s.events))
			for i := range s.events {
				e := &s.events[i]
				if e.Do == observe.Deliver && e.From == (Ref{}) {
					u := under{from: e.Peer, to: e.Process, port: e.Port, message: e.Message}
					if len(sent[u]) == 0 {
						return m.unsent(s, i)
					}
					e.From, sent[u] = sent[u][0], sent[u][1:]
				}
				if e.Do == observe.Deliver {
					s.from[i] = at[e.From]
				}
			}
		}
	}
	return nil
}

// unsent is the error of a receipt without its sending.
func (m *merger) unsent(s *stretch, i int) error {
	e := &s.events[i]
	name := m.parts[s.part].Name
	says := (&story{trace: &Trace{Header: m.header}, names: newNames(m.header.Kinds)}).messageText(&e.Message)
	p, known := m.where[e.Peer]
	if !known || len(m.of[p]) == 0 {
		return input.Errorf("%s: line %d: process %d receives %s from process %d, of which there is no trace",
			name, s.lines[i], e.Process, says, e.Peer)
	}
	return input.Errorf("%s: line %d: process %d receives %s from process %d, which does not send it, or "+
		"not so often, in %s",
		name, s.lines[i], e.Process, says, e.Peer, m.parts[m.of[p][0].part].Name)
}

// synchronize puts clocks forward.
func (m *merger) synchronize() {
	late := make(map[pair]time.Duration) // how much earlier than sent something was received, by the clocks
	note := func(p pair, by time.Duration) {
		if was, ok := late[p]; !ok || by > was {
			if !ok {
				m.pairs = append(m.pairs, p)
			}
			late[p] = by
		}
	}
	for _, list := range m.of {
		for k, s := range list {
			if k > 0 {
				before := list[k-1]
				note(pair{before, s}, before.events[len(before.events)-1].At-s.events[0].At)
			}
			for i := range s.events {
				if from := s.from[i]; from != nil {
					e := &s.events[i]
					note(pair{from, s}, from.event(e.From).At-e.At)
				}
			}
		}
	}
	// This is the algorithm of Bellman and Ford for longest paths. If the clocks can be reconciled, it is
	// done after as many rounds as there are stretches.
	for range len(m.all) + 1 {
		changed := false
		for _, p := range m.pairs {
			if least := p.sent.forward + late[p]; p.received.forward < least {
				p.received.forward, changed = least, true
			}
		}
		if !changed {
			return
		}
	}
	for _, s := range m.all { // their clocks do not go at the same speed, or events wait for each other
		s.forward = 0
	}
}

// event returns an event by its name.
func (s *stretch) event(r Ref) *Event { return &s.events[r.Seq-s.events[0].Seq] }

// order puts all events into a causal order, as far as possible by time.
func (m *merger) order() (*Trace, error) {
	t := &Trace{Header: m.header}
	turn := make([]int, len(m.of)) // of the stretches of each process
	waiting := make(map[Ref][]int) // for a sending: the processes
	done := make(map[Ref]bool)
	var ready queue
	total := 0
	look := func(p int) {
		for turn[p] < len(m.of[p]) && m.of[p][turn[p]].next == len(m.of[p][turn[p]].events) {
			turn[p]++
		}
		if turn[p] == len(m.of[p]) {
			return
		}
		s := m.of[p][turn[p]]
		e := &s.events[s.next]
		if e.Do == observe.Deliver && !done[e.From] {
			// Do not put it into the heap: the event becomes possible only when its sending is in the trace.
			waiting[e.From] = append(waiting[e.From], p)
			return
		}
		heap.Push(&ready, candidate{e.At + s.forward, s.part, s.lines[s.next], p})
	}
	for p := range m.of {
		look(p)
		for _, s := range m.of[p] {
			total += len(s.events)
		}
	}
	for len(ready) > 0 {
		p := heap.Pop(&ready).(candidate).process
		s := m.of[p][turn[p]]
		e := s.events[s.next]
		e.At += s.forward
		s.next++
		t.Events = append(t.Events, e)
		look(p)
		if e.Do == observe.Send {
			done[e.Ref()] = true
			for _, q := range waiting[e.Ref()] {
				look(q)
			}
		}
	}
	if len(t.Events) < total {
		return nil, m.circle(turn)
	}
	return t, nil
}

// circle is the error of a receipt that can never be, since what it waits for waits for it.
func (m *merger) circle(turn []int) error {
	for p := range m.of {
		if turn[p] < len(m.of[p]) {
			s := m.of[p][turn[p]]
			e := &s.events[s.next]
			return input.Errorf("%s: line %d: process %d receives what is sent only after that, in event "+
				"%d of process %d",
				m.parts[s.part].Name, s.lines[s.next], e.Process, e.From.Seq, e.From.Process)
		}
	}
	panic("trace: nothing waits")
}

// candidate is the next event of a process.
type candidate struct {
	at      time.Duration
	part    int
	line    int
	process int
}

// queue gives the earliest candidate.
type queue []candidate

func (q queue) Len() int      { return len(q) }
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q queue) Less(i, j int) bool {
	a, b := &q[i], &q[j]
	// Part and line decide between equal times: the same parts always give the same trace.
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.part, b.part), cmp.Compare(a.line, b.line)) < 0
}
func (q *queue) Push(x any) { *q = append(*q, x.(candidate)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	c := (*q)[last]
	*q = slices.Delete(*q, last, last+1)
	return c
}
