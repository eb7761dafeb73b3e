package build

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
)

// compact returns a program for WebAssembly, as the linker of a version of Go writes it, in a form that
// compresses to fewer bytes and does the same. A program that it cannot read stays as it is.
//
//   - The linker leaves out each run of 8 zeros and begins a segment of data behind it, up to 100,000. That
//     saves bytes until the file is compressed; compressed, their addresses weigh more than the zeros.
//   - The tables that lead from a place in the program to a line of its source are left out, and the names of
//     functions. They serve little but the stack of a crash, which then says nothing. The same scenario
//     crashes the same way under elect sim, which does.
func compact(program []byte, version string) []byte {
	sections, ok := split(program)
	if !ok {
		return program
	}
	out := slices.Clone(program[:headerSize])
	for _, s := range sections {
		if s.id == dataSection {
			m, ok := readMemory(s.body)
			if !ok {
				return program
			}
			if strings.HasPrefix(version, tablesOf) {
				if !m.forgetLines() {
					return program
				}
				m.coarsen()
			}
			s.body = m.write()
		}
		out = binary.AppendUvarint(append(out, s.id), uint64(len(s.body)))
		out = append(out, s.body...)
	}
	return out
}

// What a program for WebAssembly begins with, and the section that has what its memory begins with.
const (
	headerSize  = 8
	dataSection = 11
)

// section is a part of a program.
type section struct {
	id   byte
	body []byte
}

// split returns the sections of a program.
func split(program []byte) (all []section, ok bool) {
	if !bytes.HasPrefix(program, []byte("\x00asm\x01\x00\x00\x00")) {
		return nil, false
	}
	for rest := program[headerSize:]; len(rest) > 0; {
		id := rest[0]
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return nil, false
		}
		body := rest[1+n:][:size]
		all, rest = append(all, section{id, body}), rest[1+n+len(body):]
	}
	return all, true
}

// memory is what the memory of a program begins with.
type memory []byte

// The parts of a segment of data beside its bytes: a constant address in the only memory.
const (
	segmentKind = 0x00
	constant    = 0x41
	endOfCode   = 0x0b
)

// mostMemory is far above what the data of the page needs: a program with more is not read.
const mostMemory = 64 << 20

// segment is a stretch of memory that begins with these bytes.
type segment struct {
	address uint64
	bytes   []byte
}

// readMemory reads the segments of a section of data, which do not overlap.
func readMemory(body []byte) (m memory, ok bool) {
	count, n := binary.Uvarint(body)
	if n <= 0 {
		return m, false
	}
	var all []segment
	rest := body[n:]
	for range count {
		if len(rest) < 2 || rest[0] != segmentKind || rest[1] != constant {
			return m, false
		}
		// The address is signed and positive: its last byte has room for the sign, else one follows.
		address, n := binary.Uvarint(rest[2:])
		if n <= 0 || rest[1+n]&0x40 != 0 || len(rest) == 2+n || rest[2+n] != endOfCode {
			return m, false
		}
		rest = rest[3+n:]
		size, n := binary.Uvarint(rest)
		if n <= 0 || size > uint64(len(rest)-n) {
			return m, false
		}
		all, rest = append(all, segment{address, rest[n:][:size]}), rest[n:][size:]
	}
	slices.SortStableFunc(all, func(a, b segment) int { return cmp.Compare(a.address, b.address) })
	for _, s := range all {
		if s.address < uint64(len(m)) || s.address > mostMemory {
			return nil, false
		}
		m = append(append(m, make([]byte, s.address-uint64(len(m)))...), s.bytes...)
	}
	return m, len(rest) == 0
}

// gap is the number of zeros from which on a segment ends: a few zeros compress better than an address.
const gap = 4096

// write writes the section of data.
func (m memory) write() []byte {
	var body []byte
	count, zeros := uint64(0), make([]byte, gap)
	address := uint64(0)
	for rest := m; len(rest) > 0; {
		skip := len(rest) - len(bytes.TrimLeft(rest, "\x00"))
		address, rest = address+uint64(skip), rest[skip:]
		size := bytes.Index(rest, zeros)
		if size < 0 {
			size = len(bytes.TrimRight(rest, "\x00"))
		}
		if size == 0 {
			break
		}
		count++
		body = append(body, segmentKind, constant)
		body = appendSigned(body, address)
		body = append(body, endOfCode)
		body = binary.AppendUvarint(body, uint64(size))
		body = append(body, rest[:size]...)
		address, rest = address+uint64(size), rest[size:]
	}
	return append(binary.AppendUvarint(nil, count), body...)
}

// appendSigned appends a positive number as a signed one, whose last byte has no sign.
func appendSigned(b []byte, n uint64) []byte {
	for ; n >= 0x40; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}
