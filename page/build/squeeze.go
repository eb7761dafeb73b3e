package build

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/bits"
	"slices"
)

// squeeze compresses data in the form of gzip, to fewer bytes than package gzip does, by a 25th. It
// looks for the cheapest way to write a stretch as a whole, while gzip takes about the longest copy at each
// place. It takes ten seconds for a page where gzip takes one, but a page is built once and loaded often.
func squeeze(data []byte) []byte {
	out := &bitWriter{bytes: []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255}}
	f := newFinder(data)
	for from := 0; ; from += stretchSize {
		to := min(from+stretchSize, len(data))
		all := f.stretch(from, to).split()
		for i, s := range all {
			out.write(b2u(to == len(data) && i == len(all)-1), 1)
			out.stretch(s.data, s.parse())
		}
		if to == len(data) {
			break
		}
	}
	out.flush()
	b := binary.LittleEndian.AppendUint32(out.bytes, crc32.ChecksumIEEE(data))
	return binary.LittleEndian.AppendUint32(b, uint32(len(data)))
}

func b2u(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// The form that RFC 1951 describes.
const (
	window   = 32768 // how far back a copy may reach
	shortest = 3     // the length of a copy
	longest  = 258
	literals = 256 // bytes as they are; the next symbol ends a stretch
	endMark  = 256
	symbols  = 286 // with the lengths of copies
	ways     = 30  // the distances of copies
)

// What is looked at: more costs more time and gains little.
const (
	stretchSize = 1 << 17 // bytes that are looked at together
	cuts        = 64      // places at which a stretch may be cut in two
	leastCut    = 512     // copies and bytes of a part
	tries       = 400     // places at which a copy may begin
	enough      = 128     // a copy that is long enough not to look for others in it
	codeCost    = 5       // bits of a code for one of its symbols
	rounds      = 8       // of parsing, each by the costs that the one before has found
)

// code returns the symbol of a length or a distance, and how many bits follow it. Both forms begin with some
// symbols of one value each; then a number of symbols share one number of bits.
func code(n, each int) (symbol, extra int) {
	if n < 2*each {
		return n, 0
	}
	extra = bits.Len(uint(n)) - bits.Len(uint(each))
	return extra*each + n>>extra, extra
}

func lengthCode(length int) (symbol, extra int) {
	if length == longest {
		return 285, 0
	}
	symbol, extra = code(length-shortest, 4)
	return 257 + symbol, extra
}

func distanceCode(distance int) (symbol, extra int) { return code(distance-1, 2) }

// copied is a copy of bytes from before, or one byte as it is, if the distance is 0.
type copied struct{ length, distance uint16 }

// finder finds copies.
type finder struct {
	data []byte
	last []int32 // the place at which 3 bytes with this hash were last
	prev []int32 // for each place of the window, the one before it with the same hash
}

const hashBits = 16

func newFinder(data []byte) *finder {
	f := &finder{data: data, last: make([]int32, 1<<hashBits), prev: make([]int32, window)}
	for i := range f.last {
		f.last[i] = -1
	}
	return f
}

func (f *finder) insert(i int) (before int) {
	d := f.data[i:]
	h := (uint32(d[0]) | uint32(d[1])<<8 | uint32(d[2])<<16) * 0x9E3779B1 >> (32 - hashBits)
	before = int(f.last[h])
	f.last[h], f.prev[i%window] = int32(i), int32(before)
	return before
}

// stretch returns the copies that may begin at each place of a stretch.
func (f *finder) stretch(from, to int) *stretch {
	s := &stretch{data: f.data[from:to], begin: make([]int32, 1, to-from+1)}
	long := 0 // the end of a copy that is long enough
	for i := from; i < to; i++ {
		if len(f.data)-i >= shortest {
			at := f.insert(i)
			if i >= long {
				s.found = f.find(s.found, at, i, to)
				if n := len(s.found); n > int(s.begin[i-from]) && s.found[n-1].length >= enough {
					long = i + int(s.found[n-1].length) - enough/2
				}
			}
		}
		s.begin = append(s.begin, int32(len(s.found)))
	}
	return s
}

// find appends the copies that may begin at a place: for each length the nearest, and only longer ones.
func (f *finder) find(found []copied, at, i, to int) []copied {
	most := min(longest, to-i)
	best := shortest - 1
	for range tries {
		if at < 0 || i-at > window || best >= most {
			break
		}
		if f.data[at+best] == f.data[i+best] {
			n := 0
			for n < most && f.data[at+n] == f.data[i+n] {
				n++
			}
			if n > best {
				best = n
				found = append(found, copied{uint16(n), uint16(i - at)})
			}
		}
		at = int(f.prev[at%window])
	}
	return found
}

// stretch is what is written with one code.
type stretch struct {
	data  []byte
	begin []int32 // for each place, its first copy in found; one more at the end
	found []copied
}

// costs are the bits that each symbol takes, with those that follow it.
type costs struct {
	byte     [literals]float32
	length   [longest + 1]float32
	distance [ways]float32
}

// parse returns the cheapest way to write the stretch.
func (s *stretch) parse() (way []copied) {
	c := &costs{}
	for i := range c.byte {
		c.byte[i] = 8
	}
	for i := range c.length {
		c.length[i] = 8
	}
	for i := range c.distance {
		c.distance[i] = 5 + float32(max(i/2-1, 0))
	}
	for range rounds {
		way = s.cheapest(c)
		c = costsOf(count(s.data, way))
	}
	return way
}

// split cuts the stretch where two codes, one on each side, take fewer bits than one.
func (s *stretch) split() []*stretch {
	way := s.parse()
	if len(way) < 2*leastCut {
		return []*stretch{s}
	}
	// Counts of the first i of a number of equal parts of the way, and where these end.
	var symbol [cuts + 1][symbols]int
	var distance [cuts + 1][ways]int
	var at [cuts + 1]int
	for i := range cuts {
		part := way[i*len(way)/cuts : (i+1)*len(way)/cuts]
		x, y := count(s.data[at[i]:], part)
		at[i+1] = at[i]
		for _, m := range part {
			at[i+1] += int(m.length)
		}
		for k := range x {
			symbol[i+1][k] = symbol[i][k] + x[k]
		}
		for k := range y {
			distance[i+1][k] = distance[i][k] + y[k]
		}
	}
	cost := func(from, to int) float64 {
		return bitsOf(symbol[from][:], symbol[to][:]) + bitsOf(distance[from][:], distance[to][:])
	}
	best, cut := cost(0, cuts), 0
	for i := 1; i < cuts; i++ {
		if sum := cost(0, i) + cost(i, cuts); sum < best && min(i, cuts-i)*len(way)/cuts >= leastCut {
			best, cut = sum, at[i]
		}
	}
	if cut == 0 {
		return []*stretch{s}
	}
	first := &stretch{data: s.data[:cut], begin: s.begin[:cut+1], found: s.found}
	second := &stretch{data: s.data[cut:], begin: s.begin[cut:], found: s.found}
	return slices.Concat(first.split(), second.split())
}

// bitsOf returns about how many bits a code takes with what it is used for: the symbols that occur more
// often at the end than at the beginning.
func bitsOf(begin, end []int) (bits float64) {
	all := 0
	for i := range end {
		all += end[i] - begin[i]
	}
	for i := range end {
		if n := end[i] - begin[i]; n > 0 {
			bits += codeCost + float64(n)*math.Log2(float64(all)/float64(n))
		}
	}
	return bits
}

// cheapest returns the way of the least costs.
func (s *stretch) cheapest(c *costs) []copied {
	n := len(s.data)
	sum, by := make([]float32, n+1), make([]copied, n+1) // the costs up to a place, and what ends there
	for i := range n {
		sum[i+1] = math.MaxFloat32
	}
	for i := range n {
		if cost := sum[i] + c.byte[s.data[i]]; cost < sum[i+1] {
			sum[i+1], by[i+1] = cost, copied{length: 1}
		}
		length := shortest
		for _, m := range s.found[s.begin[i]:s.begin[i+1]] {
			way, _ := distanceCode(int(m.distance))
			base := sum[i] + c.distance[way]
			for most := min(int(m.length), n-i); length <= most; length++ {
				if cost := base + c.length[length]; cost < sum[i+length] {
					sum[i+length], by[i+length] = cost, copied{uint16(length), m.distance}
				}
			}
		}
	}
	var way []copied
	for i := n; i > 0; i -= int(by[i].length) {
		way = append(way, by[i])
	}
	for i, j := 0, len(way)-1; i < j; i, j = i+1, j-1 {
		way[i], way[j] = way[j], way[i]
	}
	return way
}

// count returns how often each symbol occurs.
func count(data []byte, way []copied) (symbol [symbols]int, distance [ways]int) {
	at := 0
	for _, m := range way {
		if m.distance == 0 {
			symbol[data[at]]++
		} else {
			l, _ := lengthCode(int(m.length))
			d, _ := distanceCode(int(m.distance))
			symbol[l]++
			distance[d]++
		}
		at += int(m.length)
	}
	symbol[endMark]++
	return symbol, distance
}

// costsOf returns the costs that symbols have which occur so often.
func costsOf(symbol [symbols]int, distance [ways]int) *costs {
	cost := func(n, all int) float32 { // one that does not occur could
		return float32(math.Log2(float64(all+1) / max(float64(n), 0.3)))
	}
	sum := func(list []int) (all int) {
		for _, n := range list {
			all += n
		}
		return all
	}
	c, all, far := &costs{}, sum(symbol[:]), sum(distance[:])
	for i := range c.byte {
		c.byte[i] = cost(symbol[i], all)
	}
	for i := shortest; i <= longest; i++ {
		s, extra := lengthCode(i)
		c.length[i] = cost(symbol[s], all) + float32(extra)
	}
	for i := range c.distance {
		c.distance[i] = cost(distance[i], far) + float32(max(i/2-1, 0))
	}
	return c
}
