package elector

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/process"
)

const (
	// mostMembers is how many voters a group may have.
	mostMembers = 255
	// mostSpent is how many earlier lists a member remembers.
	mostSpent = 16
	// mostNames is how many names a member learns from others.
	mostNames = 2 * process.MaxPeers
)

// membership is what this member knows about the others: their names and addresses, what they wish, and who of them
// has a vote. Package lease decides whose votes count, and in which steps that changes; policy decides when a leader
// takes them.
type membership struct {
	config *Config
	log    *slog.Logger
	leases bool // a majority of members lends its votes; false with Algorithm or Store
	up     *peers
	moved  func() // called when the agreed members change

	node     election.Node // only the goroutine of the process uses it, and held
	held     lease.Configuration
	ports    election.Port
	blank    map[election.Port]bool // peers that have answered without memory, until this member has recovered
	fresh    bool                   // this member has started without memory
	first    map[string]bool        // the members that it has heard of first since
	collided time.Time              // when that was logged
	process  *process.Process

	due   chan struct{} // has one if something has changed
	look  atomic.Bool   // the next message may change what note records, although held stays the same
	named atomic.Bool   // so may the next step, because a name has become known

	mu        sync.Mutex
	wish      []string // the own list, sorted
	names     map[election.ID]string
	addresses map[string]string
	said      map[string]bool  // who has told its address itself
	hellos    map[string]hello // of peers, the last one of each
	refused   map[string]hello // by agrees, which depends on other peers
	founders  string           // list by which the group was founded; empty if unknown
	spent     []spentList      // the last one first
	now       holding
	voting    election.Port // all voters have smaller ports
	since     time.Time     // since when the agreed members are the same
	was       bool          // this process has been one of the agreed members
	lends     time.Duration // the longest Lease of the members, as the process knows it
	longest   time.Duration // the same without former
	former    time.Duration // the longest one before, which a process may still have
	fades     time.Time     // until when former counts
	call      *call         // of SetMembers, in progress
	plan      verdict       // of the policy, the last one

	// Only the goroutine of steer uses these.
	policy            policy
	dialled           map[string]string
	greeted           string
	lastSet, reported string // what report has logged
	told              string // what say has logged
	toldAt            time.Duration
	warned            bool
	loggedLease       time.Duration
}

// holding is what the process holds about the voters. It is replaced, not changed.
type holding struct {
	lease.Configuration
	old, new []string        // names, sorted; old is empty unless a change is in progress
	granted  map[string]bool // who has granted the last round of this leader
	read     map[string]bool // who has answered this member since it has lost its memory
}

// agreed returns the members that a change in progress has not replaced yet.
func (h *holding) agreed() []string {
	if h.Joint {
		return h.old
	}
	return h.new
}

// newMembership returns what a member knows when it starts.
func newMembership(c *Config, a *election.Algorithm, kept *stateFile, log *slog.Logger) *membership {
	m := &membership{config: c, log: log, leases: a.Elects == election.LeaseHolders && c.Store == nil, wish: c.list(),
		moved: func() {}, due: make(chan struct{}, 1), names: make(map[election.ID]string), addresses: make(map[string]string),
		said: make(map[string]bool), hellos: make(map[string]hello), refused: make(map[string]hello), founders: kept.founders, spent: kept.spent, was: kept.was,
		lends: c.Times.Lease, longest: c.Times.Lease, loggedLease: c.Times.Lease,
		dialled: make(map[string]string), blank: make(map[election.Port]bool), fresh: len(kept.saved) == 0}
	for _, p := range kept.roster {
		if p.name != "" {
			m.know(p.name, p.address)
		}
	}
	for name, address := range c.all() {
		m.know(name, address)
	}
	return m
}

// list returns the list of this member.
func (m *membership) list() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.wish
}

// watch returns the algorithm, and keeps its Node, whose voters this member watches.
func (m *membership) watch(a *election.Algorithm) *election.Algorithm {
	if !m.leases || m.config.observes() {
		return a
	}
	own := *a
	own.New = func(s election.Setup) election.Node {
		m.node = a.New(s)
		return m.node
	}
	return &own
}

// start completes what a member needs. moved is called when the voters change.
func (m *membership) start(p *process.Process, up *peers, moved func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.process, m.up, m.moved = p, up, moved
	m.tellLease(0)
}

// takesPart reports whether the peer of a hello may lead, vote or become a member: it is a member, or its connection
// has not ended. The caller holds mu.
func (m *membership) takesPart(h *hello) bool {
	return !h.Observer && (!h.gone || !m.now.Agreed || m.isVoter(h.Self))
}

// lendFor notes the longest Lease of the peers that take part, and reports whether it has changed. A Lease that none of
// them has any more still counts for twice as long: packets of the process that had it may be queued. The caller holds mu.
func (m *membership) lendFor() (changed bool) {
	now, longest, before := time.Now(), m.config.Times.Lease, m.lends
	for _, h := range m.hellos {
		if m.takesPart(&h) {
			longest = max(longest, h.Lease)
		}
	}
	if m.former > 0 && !now.Before(m.fades) {
		m.former = 0
	}
	if longest < m.longest {
		m.former = max(m.former, m.longest)
		t := m.config.Times
		t.Lease = m.former
		m.fades = now.Add(max(2*m.former, t.lease(true).GrantTime())) // a grant lasts longer if Drift exceeds 1/3
	}
	m.longest, m.lends = longest, max(longest, m.former)
	return m.lends != before
}

// tellLease tells the process the longest Lease of the members, and which member has told it to this one, or zero. A
// peer sends its first packet after this one has accepted its hello. The caller holds mu.
func (m *membership) tellLease(of election.ID) {
	if m.process == nil || !m.leases {
		return
	}
	d := m.lends
	if m.config.observes() {
		d = Times{Lease: d}.followed()
	}
	_ = m.process.Command(lease.LendFor(d, of)) // fails only if the process has ended
}

// voters returns the members whose votes count, for the goroutine of the process.
func (m *membership) voters() (v voters) {
	if m.node == nil { // an observer
		for port := range election.Port(len(m.wish)) {
			v.others = append(v.others, port)
		}
		return v
	}
	v.self = lease.VoterAt(m.node, election.NoPort).New
	v.all = !m.held.Agreed
	for port := range m.ports {
		if lease.VoterAt(m.node, port).New {
			v.others = append(v.others, port)
		}
	}
	return v
}

// isVoter reports whether the vote of a member counts. The caller holds mu.
func (m *membership) isVoter(name string) bool {
	return slices.Contains(m.now.new, name) || slices.Contains(m.now.old, name)
}

// silent returns which members have not answered this one since it has lost its memory.
func (m *membership) silent() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var silent []string
	for _, name := range slices.Concat(m.now.old, m.now.new) {
		if name != m.config.Self && !m.now.read[name] && !slices.Contains(silent, name) {
			silent = append(silent, name)
		}
	}
	return "no answer of " + commas(silent)
}

// votesAt reports whether the process at a port is a member, for the goroutine of the process.
func (m *membership) votesAt(port election.Port) bool {
	if m.node == nil {
		return true
	}
	v := lease.VoterAt(m.node, port)
	return v.Old || v.New
}

// isOther reports whether an ID is the ID of another member.
func (m *membership) isOther(id election.ID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	name, ok := m.names[id]
	_, observes := m.config.Observers[name]
	return ok && !observes && name != m.config.Self
}

// know records a name, and an address unless it is empty. The caller holds mu, or has the only reference.
func (m *membership) know(name, address string) {
	id := ID(name)
	if m.names[id] == "" {
		m.named.Store(true) // a configuration may have named it by its ID
	}
	if m.names[id] = name; address != "" {
		m.addresses[name] = address
	}
}

// name returns the name of a process for logs.
func (m *membership) name(id election.ID) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.nameOf(id)
}

// nameOf is name with mu held.
func (m *membership) nameOf(id election.ID) string {
	if name, ok := m.names[id]; ok {
		return name
	}
	return fmt.Sprintf("(ID %d)", uint64(id)) // a member that a configuration names, and that has not connected yet
}

// hear records what a peer has told.
func (m *membership) hear(h hello) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.refused, h.Self)
	if err := m.agrees(&h); err != nil {
		if len(m.refused) < process.MaxPeers {
			m.refused[h.Self] = h
		}
		return err
	}
	if m.founders != "" && h.Founders != "" && m.founders != h.Founders {
		return fmt.Errorf("two groups have the name %.60q: the group of %.60q was founded by the members %.200s, "+
			"and the group of %.60q by %.200s: give one of them another name, or delete its Dirs", m.config.Group,
			m.config.Self, m.founders, h.Self, h.Founders)
	}
	if _, met := m.hellos[h.Self]; !met && len(m.hellos) >= process.MaxPeers {
		return fmt.Errorf("%d processes have connected since process %.60q was started: restart it", process.MaxPeers,
			m.config.Self)
	}
	for name, address := range h.Peers {
		// A peer cannot use up the memory by ever more names.
		if !m.said[name] && m.addresses[name] == "" && (m.names[ID(name)] != "" || len(m.names) < mostNames) {
			m.know(name, address)
		}
	}
	m.know(h.Self, h.Address)
	m.said[h.Self] = m.said[h.Self] || h.Address != ""
	m.hellos[h.Self] = h
	switch changed := m.lendFor(); {
	case !h.Observer && h.Lease > m.config.Times.Lease:
		m.tellLease(ID(h.Self))
	case changed:
		m.tellLease(0)
	}
	m.learnFounders()
	m.spent = unionOfSpent(m.spent, h.Spent)
	m.poke()
	return nil
}

// reached notes that the connection to a peer opens or ends.
func (m *membership) reached(id election.ID, up bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if h, ok := m.hellos[m.names[id]]; ok {
		h.gone = !up
		m.hellos[h.Self] = h
	}
	// The peer sends its first packet after this. If its connection has ended, steer notes that.
	if up && m.lendFor() {
		m.tellLease(id)
	}
	m.poke()
}

// learnFounders takes the founders from the hello of a member, if this process has become a member later. The caller
// holds mu.
func (m *membership) learnFounders() {
	if m.founders != "" || !m.now.Agreed {
		return
	}
	for _, name := range sortedNames(m.hellos) {
		if h := m.hellos[name]; h.Founders != "" && m.isVoter(name) {
			m.founders = h.Founders
			return
		}
	}
}

// serves returns the address that a member advertises, or "" if this one does not know it.
func (m *membership) serves(name string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.hellos[name].Serves
}

// poke makes steer look at what has changed.
func (m *membership) poke() {
	select {
	case m.due <- struct{}{}:
	default:
	}
}

// known returns what is stored with the state of the process. Ports after the last voter have no part in the state.
func (m *membership) known() known {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := known{founders: m.founders, spent: slices.Clone(m.spent), was: m.was, lends: m.lends}
	for port := range m.voting {
		r, _ := m.process.Peer(port)
		name := m.names[r.ID]
		k.roster = append(k.roster, peer{r.ID, name, m.addresses[name]})
	}
	return k
}

// hello returns what this member tells its peers. The caller holds mu.
func (m *membership) hello() hello {
	h := hello{Self: m.config.Self, Address: m.config.ownAddress(), Serves: m.config.Advertise, Observer: m.config.observes(),
		Times: m.config.timing(), Members: m.wish, Founders: m.founders, Spent: m.spent}
	if m.leases {
		h.Rules, h.Lease = []int{leastRules, mostRules}, m.config.Times.Lease
	}
	for name, address := range m.wanted() {
		if m.names[ID(name)] == name { // otherwise only the ID is known
			if h.Peers == nil {
				h.Peers = make(map[string]string)
			}
			h.Peers[name] = address
		}
	}
	return h
}

// wanted returns the members with which this member needs a connection, and their addresses: the members of
// its own list and the agreed members. The caller holds mu.
func (m *membership) wanted() map[string]string {
	all := make(map[string]string)
	for _, names := range [][]string{m.wish, m.now.old, m.now.new} {
		for _, name := range names {
			if m.names[ID(name)] == name { // or only its ID is known
				all[name] = m.addresses[name]
			}
		}
	}
	if m.call != nil {
		for _, name := range m.call.list {
			all[name] = m.addresses[name]
		}
	}
	delete(all, m.config.Self)
	return all
}

// observe watches the steps of the process.
func (m *membership) observe(o *observe.Occurrence) {
	if o.What != observe.Step || m.node == nil {
		return
	}
	recv := o.Event.Op == election.Recv
	if recv && lease.Collides(m.node, &o.Event.Msg) {
		m.collides(o.Event.Port)
	}
	if answers, lost := lease.Answers(&o.Event.Msg); recv && answers && !m.held.Recovered {
		m.blank[o.Event.Port] = lost
	}
	ports := m.ports
	for {
		if _, ok := m.process.Peer(ports); !ok {
			break
		}
		ports++
	}
	held := lease.Inspect(m.node)
	if named := m.named.Swap(false); held == m.held && ports == m.ports && !named &&
		!(recv && (!held.Recovered || m.look.Load())) {
		return
	}
	recovered := held.Recovered && !m.held.Recovered
	m.held, m.ports = held, ports
	m.note(held)
	if m.fresh && held.Agreed {
		m.lament(recovered)
	}
}

// lament logs, when this member has recovered, that a majority of the members has lost its memory, so the others may
// not know all votes. It does not count members that were added later, because they have had no memory to lose.
func (m *membership) lament(recovered bool) {
	m.mu.Lock()
	if m.first == nil {
		m.first = make(map[string]bool)
		for _, name := range slices.Concat(m.now.old, m.now.new) {
			m.first[name] = true
		}
	}
	if !recovered {
		m.mu.Unlock()
		return
	}
	lost := map[string]bool{m.config.Self: true}
	for port, is := range m.blank {
		r, _ := m.process.Peer(port)
		lost[m.nameOf(r.ID)] = is
	}
	maps.DeleteFunc(lost, func(name string, is bool) bool { return !is || !m.first[name] })
	old, now, at := m.now.old, m.now.new, label(m.now.Configuration)
	m.mu.Unlock()
	for _, list := range [][]string{old, now} {
		gone := slices.DeleteFunc(slices.Clone(list), func(name string) bool { return !lost[name] })
		if 2*len(gone) > len(list) {
			m.log.Error("a majority of the members has lost its memory, as if each Dir had been deleted: two members "+
				"may have led at the same time, and tokens may repeat: call Advance at each member with the largest "+
				"token in use", "lost", spaced(gone), "members", spaced(list), "label", at)
			return
		}
	}
}

// note records what the process holds after a step.
func (m *membership) note(held lease.Configuration) {
	m.mu.Lock()
	before := m.now
	now := holding{Configuration: held, granted: make(map[string]bool), read: make(map[string]bool)}
	add := func(name string, v lease.Voter) {
		if v.Old {
			now.old = append(now.old, name)
		}
		if v.New {
			now.new = append(now.new, name)
		}
		for set, is := range map[*map[string]bool]bool{&now.granted: v.Granted, &now.read: v.Read} {
			if is {
				(*set)[name] = true
			}
		}
	}
	add(m.config.Self, lease.VoterAt(m.node, election.NoPort))
	m.voting = 0
	for port := range m.ports {
		r, _ := m.process.Peer(port)
		v := lease.VoterAt(m.node, port)
		if add(m.nameOf(r.ID), v); v.Old || v.New {
			m.voting = port + 1
		}
	}
	slices.Sort(now.old)
	slices.Sort(now.new)
	m.now = now
	relabeled := before.Label != now.Label // otherwise only names have become known
	if held.Agreed && (m.since.IsZero() || relabeled && !slices.Equal(before.agreed(), now.agreed())) {
		m.since = time.Now()
	}
	if held.Agreed {
		m.was = m.was || slices.Contains(now.new, m.config.Self) || slices.Contains(now.old, m.config.Self)
		if m.founders == "" && before.Bound && slices.Equal(before.new, now.new) {
			m.founders = spaced(now.new)
		}
		m.learnFounders()
	}
	if before.Agreed && !before.Joint && relabeled && !slices.Equal(before.new, now.new) {
		m.spend(hashOf(before.new))
	}
	moved := before.Label != now.Label || before.Joint != now.Joint || !slices.Equal(before.new, now.new)
	m.mu.Unlock()
	if moved {
		m.moved()
	}
	m.poke()
}

// spend records that a list was in effect until now. The caller holds mu.
func (m *membership) spend(hash uint64) {
	m.spent = unionOfSpent(m.spent, []spentList{{m.now.Label, hash}})
}

// collides logs that a peer has another configuration with the same label.
func (m *membership) collides(port election.Port) {
	r, _ := m.process.Peer(port)
	m.mu.Lock()
	label, name := label(m.now.Configuration), m.nameOf(r.ID)
	again := time.Since(m.collided) < quiet
	if !again {
		m.collided = time.Now()
	}
	m.mu.Unlock()
	if !again {
		m.log.Error("this member and a peer have different members with one label, so two groups have this name, or a "+
			"Dir was deleted or replaced by an old copy: give one group another name, or stop the peer, delete its "+
			"Dir and start it again", "peer", name, "label", label)
	}
}

// label returns the label of an agreed configuration in the form of logs, or "".
func label(c lease.Configuration) string {
	if !c.Agreed {
		return ""
	}
	return fmt.Sprintf("%d.%d", c.Term(), c.Step())
}

// connected reports whether a member takes part now, as far as this member knows.
func (m *membership) connected(name string) bool {
	if m.up != nil {
		return m.up.reached(ID(name))
	}
	return m.now.granted[name] || !m.now.Leads
}

// sortedNames returns the keys of a map in order.
func sortedNames[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }
