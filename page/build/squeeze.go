package build

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/bits"
)

// squeeze compresses data in the form of gzip, to fewer bytes than package gzip does, by a twentieth. It
// looks for the cheapest way to write a stretch as a whole, while gzip takes about the longest copy at each
// place. It takes ten times as long, some seconds for a page, but a page is built once and loaded often.
func squeeze(data []byte) []byte {
	out := &bitWriter{bytes: []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255}}
	f := newFinder(data)
	for from := 0; ; from += stretchSize {
		to := min(from+stretchSize, len(data))
		s := f.stretch(from, to)
		out.write(b2u(to == len(data)), 1)
		out.stretch(s.data, s.parse())
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
	stretchSize = 1 << 16 // bytes that have one code
	tries       = 400     // places at which a copy may begin
	enough      = 128     // a copy that is long enough not to look for others in it
	rounds      = 4       // of parsing, each by the costs that the one before has found
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
			for ; length <= int(m.length); length++ {
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
