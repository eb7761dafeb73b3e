package build

import (
	"bytes"
	"encoding/binary"
)

// tablesOf is the version of Go whose tables of functions are known here. They may differ in the next one,
// and nothing in them would say so.
const tablesOf = "go1.26"

// What the tables begin with, and the functions in them, by runtime/symtab.go and runtime/runtime2.go. All
// numbers have 4 bytes but for those of the head, which have 8.
const (
	headCount    = 8  // the number of functions
	headNames    = 32 // where their names are
	headUnits    = 40 // the units that were compiled
	headFiles    = 48 // the names of the files
	headSteps    = 56 // values that change along the code of a function
	headFunction = 64 // the functions
	headSize     = 72

	functionName   = 4  // where its name begins
	functionStack  = 16 // steps of the size of the stack
	functionFile   = 20 // steps of the file, by its number in the unit
	functionLine   = 24 // steps of the line
	functionSteps  = 28 // the number of steps at the end
	functionUnit   = 32
	functionStart  = 36 // the first line
	functionTables = 43 // the number of tables behind these steps
	functionSize   = 44
)

// tableMark begins the tables, for a machine whose code has units of 1 byte, and addresses of 8.
var tableMark = []byte("\xf1\xff\xff\xff\x00\x00\x01\x08")

// Of the steps and tables at the end of a function, those that are for no more than traces: what is inlined
// where, and the arguments. And the places at which no signal may stop it: in a browser there are no signals.
var (
	idleSteps  = []uint32{0, 2, 3}
	idleTables = []uint32{3, 5, 6}
)

// The names that functions have. The runtime knows its own by how their names begin: those get the first. The
// second has the form of a method: the runtime looks for one where a method is called of a nil pointer.
const (
	runtimePrefix = "runtime."
	runtimeName   = runtimePrefix + "function\x00"
	otherName     = "page.(*program).function\x00"
)

// forgetNames gives all functions one of two names. It reports whether all names begin among these bytes, and
// there is room for the two.
func forgetNames(names []byte, functions [][]byte) bool {
	if len(names) < len(runtimeName+otherName) {
		return false
	}
	word := binary.LittleEndian
	for _, f := range functions {
		at := word.Uint32(f[functionName:])
		if uint64(at) >= uint64(len(names)) {
			return false
		}
		name := uint32(len(runtimeName))
		if bytes.HasPrefix(names[at:], []byte(runtimePrefix)) {
			name = 0
		}
		word.PutUint32(f[functionName:], name)
	}
	clear(names)
	copy(names, runtimeName+otherName)
	return true
}

// forgetLines clears the tables that lead to lines of the source. The runtime takes a step of 0, and a table
// of -1, for one that is not there. It reports whether the tables are as expected, or are not there at
// all; if not, some of them may be cleared.
func (m memory) forgetLines() bool {
	at := bytes.Index(m, tableMark)
	if at < 0 {
		return true
	}
	head, word := m[at:], binary.LittleEndian
	if len(head) < headSize || word.Uint64(head[headNames:]) != headSize {
		return false
	}
	units, steps := word.Uint64(head[headUnits:]), word.Uint64(head[headSteps:])
	functions := word.Uint64(head[headFunction:])
	if units < headSize || units > steps || steps > functions || functions > uint64(len(head)) {
		return false
	}
	table, count := head[functions:], word.Uint64(head[headCount:])
	if count > uint64(len(table))/8 {
		return false
	}
	kept := keptSteps{all: head[steps:functions], moved: map[uint32]uint32{0: 0}, bytes: []byte{0}}
	var all [][]byte
	for i := range count {
		f, ok := forgetFunction(table, word.Uint32(table[8*i+4:]))
		if !ok || !kept.keepFunction(f) {
			return false
		}
		all = append(all, f)
	}
	if len(kept.bytes) > len(kept.all) || !forgetNames(head[headSize:units], all) {
		return false
	}
	clear(head[units:functions])
	copy(kept.all, kept.bytes)
	return true
}

// forgetFunction clears what a function that begins at an offset has for lines, and returns its bytes, and
// whether all of them are in the table.
func forgetFunction(table []byte, offset uint32) (f []byte, ok bool) {
	if uint64(offset)+functionSize > uint64(len(table)) {
		return nil, false
	}
	f, word := table[offset:], binary.LittleEndian
	for _, place := range []uint32{functionFile, functionLine, functionUnit, functionStart} {
		word.PutUint32(f[place:], 0)
	}
	count, tables := word.Uint32(f[functionSteps:]), uint32(f[functionTables])
	if functionSize+4*(uint64(count)+uint64(tables)) > uint64(len(f)) {
		return nil, false
	}
	for _, k := range idleSteps {
		if k < count {
			word.PutUint32(f[functionSize+4*k:], 0)
		}
	}
	for _, k := range idleTables {
		if k < tables {
			word.PutUint32(f[functionSize+4*(count+k):], ^uint32(0))
		}
	}
	return f, true
}

// keptSteps are the steps that functions still have, one behind the other. With gaps between them, the
// offsets in the functions are larger numbers, which compress worse.
type keptSteps struct {
	all   []byte            // that the program has
	moved map[uint32]uint32 // offsets in bytes, by those in all
	bytes []byte
}

// keepFunction keeps the steps that a function still has, and reports whether they are there.
func (k *keptSteps) keepFunction(f []byte) bool {
	ok := k.keep(f[functionStack:])
	for i := range binary.LittleEndian.Uint32(f[functionSteps:]) {
		ok = ok && k.keep(f[functionSize+4*i:])
	}
	return ok
}

// keep keeps the steps whose offset is at a place, and writes there where they are now. It reports whether
// they end.
func (k *keptSteps) keep(place []byte) bool {
	offset := binary.LittleEndian.Uint32(place)
	to, ok := k.moved[offset]
	if !ok {
		if uint64(offset) >= uint64(len(k.all)) {
			return false
		}
		size, ok := sizeOfSteps(k.all[offset:])
		if !ok {
			return false
		}
		to = uint32(len(k.bytes))
		k.moved[offset], k.bytes = to, append(k.bytes, k.all[offset:][:size]...)
	}
	binary.LittleEndian.PutUint32(place, to)
	return true
}

// sizeOfSteps returns the number of bytes of the first steps: pairs of numbers up to a 0, which the first
// pair may have. It reports whether they end.
func sizeOfSteps(steps []byte) (size int, ok bool) {
	for first := true; size < len(steps); first = false {
		if steps[size] == 0 && !first {
			return size + 1, true
		}
		for range 2 {
			_, n := binary.Uvarint(steps[size:])
			if n <= 0 {
				return 0, false
			}
			size += n
		}
	}
	return 0, false
}

// The table that leads from a place in the program to the number of its function has bucketsOfOne buckets
// for each, and each begins with the number of a function from which on the runtime looks for it.
const (
	bucketSize   = 20
	bucketsOfOne = 16
	together     = 16
)

// coarsen lets the buckets of some functions lead to the first of them, from which the runtime goes on to
// the right one. So one function differs from the next seldom; the table is a fifth of all data otherwise.
func (m memory) coarsen() {
	bucket := func(function int) []byte {
		return binary.LittleEndian.AppendUint32(nil, uint32(function))
	}
	var begin []byte // of the table, but for function 0
	for function := 1; function <= together; function++ {
		for range bucketsOfOne {
			begin = append(append(begin, bucket(function)...), make([]byte, bucketSize-4)...)
		}
	}
	at := bytes.Index(m, begin)
	if at < 0 {
		return
	}
	for i := 0; at <= len(m) && bytes.HasPrefix(m[at:], bucket(1+i/bucketsOfOne)); i++ {
		function := 1 + i/bucketsOfOne
		copy(m[at:], bucket(function-function%together))
		at += bucketSize
	}
}
