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

// anyName is the name of all functions but those of the runtime, which looks for some of its own by how
// their names begin. It has the form of a method: the runtime looks for one where a method is called of a
// nil pointer.
const anyName = "page.(*program).function\x00"

// runtimeName begins the names of the functions of the runtime.
var runtimeName = []byte("runtime.")

// forgetNames gives all functions one name, but for those of the runtime. It is in the place of the first
// name that is long enough.
func forgetNames(names []byte, functions [][]byte) {
	word := binary.LittleEndian
	kept := make([]byte, len(names))
	var others [][]byte
	place := -1
	for _, f := range functions {
		at := word.Uint32(f[functionName:])
		name := names[at:]
		name = name[:bytes.IndexByte(name, 0)+1]
		if bytes.HasPrefix(name, runtimeName) {
			copy(kept[at:], name)
			continue
		}
		if others = append(others, f); place < 0 && len(name) >= len(anyName) {
			place = int(at)
		}
	}
	if place < 0 {
		return
	}
	copy(kept[place:], anyName)
	for _, f := range others {
		word.PutUint32(f[functionName:], uint32(place))
	}
	copy(names, kept)
}

// forgetLines clears the tables that lead to lines of the source. The runtime takes a step of 0, and a table
// of -1, for one that is not there.
func (m memory) forgetLines() {
	at := bytes.Index(m, tableMark)
	if at < 0 {
		return
	}
	head, word := m[at:], binary.LittleEndian
	if len(head) < headSize || word.Uint64(head[headNames:]) != headSize {
		return
	}
	units, steps := word.Uint64(head[headUnits:]), word.Uint64(head[headSteps:])
	functions := word.Uint64(head[headFunction:])
	if units > steps || steps > functions || functions > uint64(len(head)) {
		return
	}
	table := head[functions:]
	used := make([]bool, functions-steps)
	var all [][]byte
	for i := range word.Uint64(head[headCount:]) {
		f := table[word.Uint32(table[8*i+4:]):]
		all = append(all, f)
		for _, place := range []uint32{functionFile, functionLine, functionUnit, functionStart} {
			word.PutUint32(f[place:], 0)
		}
		count := word.Uint32(f[functionSteps:])
		for _, k := range idleSteps {
			if k < count {
				word.PutUint32(f[functionSize+4*k:], 0)
			}
		}
		for _, k := range idleTables {
			if k < uint32(f[functionTables]) {
				word.PutUint32(f[functionSize+4*(count+k):], ^uint32(0))
			}
		}
		mark(used, head[steps:functions], word.Uint32(f[functionStack:]))
		for k := range count {
			mark(used, head[steps:functions], word.Uint32(f[functionSize+4*k:]))
		}
	}
	forgetNames(head[headSize:units], all)
	clear(head[units:steps])
	for i, is := range used {
		if !is {
			head[steps:][i] = 0
		}
	}
}

// mark marks the steps that begin at an offset: pairs of numbers up to a 0, which the first pair may have.
func mark(used []bool, steps []byte, offset uint32) {
	if offset == 0 || used[offset] {
		return
	}
	for i, first := int(offset), true; ; first = false {
		if steps[i] == 0 && !first {
			used[i] = true
			return
		}
		for range 2 {
			_, n := binary.Uvarint(steps[i:])
			for range n {
				used[i] = true
				i++
			}
		}
	}
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
	for i := 0; bytes.HasPrefix(m[at:], bucket(1+i/bucketsOfOne)); i++ {
		function := 1 + i/bucketsOfOne
		copy(m[at:], bucket(function-function%together))
		at += bucketSize
	}
}
