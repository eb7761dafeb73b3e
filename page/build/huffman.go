package build

import (
	"cmp"
	"math/bits"
	"slices"
)

// bitWriter writes bits, the lowest first.
type bitWriter struct {
	bytes   []byte
	waiting uint64
	count   int
}

func (w *bitWriter) write(n uint32, count int) {
	w.waiting |= uint64(n) << w.count
	for w.count += count; w.count >= 8; w.count -= 8 {
		w.bytes = append(w.bytes, byte(w.waiting))
		w.waiting >>= 8
	}
}

func (w *bitWriter) flush() {
	if w.count > 0 {
		w.write(0, 8-w.count)
	}
}

// huffman is a code: how many bits each symbol has, and which.
type huffman struct {
	size []int
	bits []uint32
}

func (w *bitWriter) symbol(h *huffman, symbol int) { w.write(h.bits[symbol], h.size[symbol]) }

// newHuffman returns the shortest code for symbols by how often each occurs, of at most this number of bits.
func newHuffman(often []int, most int) *huffman {
	h := &huffman{size: sizes(often, most), bits: make([]uint32, len(often))}
	next := uint32(0)
	for size := 1; size <= most; size++ {
		for symbol, s := range h.size {
			if s == size {
				h.bits[symbol] = bits.Reverse32(next) >> (32 - size)
				next++
			}
		}
		next <<= 1
	}
	return h
}

// coin is a symbol or a package of them.
type coin struct {
	weight  int
	symbols []int
}

// sizes returns how many bits each symbol gets, by the algorithm of packages: L. L. Larmore and D. S.
// Hirschberg, "A fast algorithm for optimal length-limited Huffman codes", Journal of the ACM 37(3), 1990.
func sizes(often []int, most int) []int {
	size := make([]int, len(often))
	var single []coin
	for symbol, n := range often {
		if n > 0 {
			single = append(single, coin{n, []int{symbol}})
		}
	}
	for symbol := 0; len(single) < 2; symbol++ { // a decoder may reject a code of one symbol
		if often[symbol] == 0 {
			single = append(single, coin{0, []int{symbol}})
		}
	}
	byWeight := func(a, b coin) int { return cmp.Compare(a.weight, b.weight) }
	slices.SortStableFunc(single, byWeight)
	list := single
	for range most - 1 {
		merged := slices.Clone(single)
		for i := 0; i+1 < len(list); i += 2 {
			merged = append(merged, coin{list[i].weight + list[i+1].weight,
				slices.Concat(list[i].symbols, list[i+1].symbols)})
		}
		slices.SortStableFunc(merged, byWeight)
		list = merged
	}
	for _, c := range list[:2*len(single)-2] {
		for _, symbol := range c.symbols {
			size[symbol]++
		}
	}
	return size
}

// orderOfSizes is the order in which the sizes of the code for sizes are written.
var orderOfSizes = []int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// stretch writes a stretch behind the bit that says whether it is the last one.
func (w *bitWriter) stretch(data []byte, way []copied) {
	symbol, distance := count(data, way)
	codes, far := newHuffman(symbol[:], 15), newHuffman(distance[:], 15)
	w.write(2, 2)
	w.codes(codes.size, far.size)
	at := 0
	for _, m := range way {
		if m.distance == 0 {
			w.symbol(codes, int(data[at]))
		} else {
			l, extra := lengthCode(int(m.length))
			w.symbol(codes, l)
			w.write(uint32(m.length-shortest)&(1<<extra-1), extra)
			d, extra := distanceCode(int(m.distance))
			w.symbol(far, d)
			w.write(uint32(m.distance-1)&(1<<extra-1), extra)
		}
		at += int(m.length)
	}
	w.symbol(codes, endMark)
}

// repeated is a size, or one that stands for several: 16 repeats the last one 3 times or more, 17 and 18 are
// zeros, 3 or more and 11 or more.
type repeated struct{ size, more, bits int }

// codes writes two codes: the sizes of their symbols, in a code of their own.
func (w *bitWriter) codes(codes, far []int) {
	for len(codes) > 257 && codes[len(codes)-1] == 0 {
		codes = codes[:len(codes)-1]
	}
	for len(far) > 1 && far[len(far)-1] == 0 {
		far = far[:len(far)-1]
	}
	list := runs(slices.Concat(codes, far))
	often := make([]int, len(orderOfSizes))
	for _, r := range list {
		often[r.size]++
	}
	h := newHuffman(often, 7)
	count := len(orderOfSizes)
	for count > 4 && h.size[orderOfSizes[count-1]] == 0 {
		count--
	}
	w.write(uint32(len(codes)-257), 5)
	w.write(uint32(len(far)-1), 5)
	w.write(uint32(count-4), 4)
	for _, size := range orderOfSizes[:count] {
		w.write(uint32(h.size[size]), 3)
	}
	for _, r := range list {
		w.symbol(h, r.size)
		w.write(uint32(r.more), r.bits)
	}
}

// runs writes sizes with one for several where a size repeats.
func runs(sizes []int) (list []repeated) {
	for i := 0; i < len(sizes); {
		size, n := sizes[i], 1
		for i+n < len(sizes) && sizes[i+n] == size {
			n++
		}
		i += n
		if size != 0 {
			list = append(list, repeated{size: size})
			n--
		}
		for n >= 3 {
			r, most := repeated{16, 0, 2}, 6
			switch {
			case size == 0 && n >= 11:
				r, most = repeated{18, 0, 7}, 138
			case size == 0:
				r, most = repeated{17, 0, 3}, 10
			}
			take, least := min(n, most), 3
			if r.size == 18 {
				least = 11
			}
			r.more = take - least
			list, n = append(list, r), n-take
		}
		for range n {
			list = append(list, repeated{size: size})
		}
	}
	return list
}
