package build_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/page/build"
)

// stretch is a segment of data, as a program writes it.
func stretch(address uint64, text string) []byte {
	b := []byte{0x00, 0x41}
	for n := address; ; n >>= 7 { // a signed number
		if n < 0x40 {
			b = append(b, byte(n))
			break
		}
		b = append(b, byte(n)|0x80)
	}
	return append(binary.AppendUvarint(append(b, 0x0b), uint64(len(text))), text...)
}

// program returns a program of a code section, and of data.
func program(segments ...[]byte) []byte {
	data := binary.AppendUvarint(nil, uint64(len(segments)))
	data = append(data, bytes.Join(segments, nil)...)
	b := append([]byte("\x00asm\x01\x00\x00\x00"), 10, 4, 'c', 'o', 'd', 'e')
	b = binary.AppendUvarint(append(b, 11), uint64(len(data)))
	return append(b, data...)
}

// TestCompact: segments with a few zeros between them become one, in the order of their addresses; what is
// not a program, or has segments of another kind, stays as it is.
func TestCompact(t *testing.T) {
	const far = 100 + 9 + 5000
	got := build.Compact(program(stretch(far, "far"), stretch(100, "ab"), stretch(106, "cde")), "")
	require.Equal(t, program(stretch(100, "ab\x00\x00\x00\x00cde"), stretch(far, "far")), got)
	require.Equal(t, got, build.Compact(got, ""))
	whole := program(stretch(7, "ab"), stretch(63, "b"), stretch(64, "d"))
	require.Equal(t, program(stretch(7, "ab"+string(make([]byte, 54))+"bd")), build.Compact(whole, ""))
	for name, p := range map[string][]byte{
		"empty": nil, "no program": []byte("\x00asm\x02\x00\x00\x00"),
		"overlap": program(stretch(5, "ab"), stretch(6, "c")),
		"passive": program([]byte{1, 1, 'a'}), "not constant": program([]byte{0, 0x23, 0, 0x0b, 1, 'a'}),
		"negative": program([]byte{0, 0x41, 0x7f, 0x0b, 1, 'a'}),
		"no end":   program([]byte{0, 0x41, 1, 1, 'a'}),
		"far away": program(stretch(1<<30, "a")), "one more byte": program(stretch(1, "a"), []byte{0})[:20],
	} {
		require.Equal(t, p, build.Compact(p, ""), name)
	}
	for n := range whole {
		require.Equal(t, whole[:n], build.Compact(whole[:n], ""), "cut off behind %d", n)
	}
}

// tables returns what the linker writes of two functions: a head, the names, the files, the steps, and the
// functions; and the table that leads to functions, of many.
func tables() []byte {
	const names, units, steps, functions = 72, 120, 128, 152
	word := binary.LittleEndian
	b := make([]byte, functions)
	copy(b, "\xf1\xff\xff\xff\x00\x00\x01\x08")
	for i, n := range []uint64{2, 1, 0, names, units, units + 4, steps, functions} {
		word.PutUint64(b[8+8*i:], n)
	}
	copy(b[names:], "runtime.f\x00main.(*thing).itsFunction\x00rest")
	copy(b[units:], "unitfile")
	// The stack of f, its lines (a first step of no difference), its safe places and its pointers; a file.
	copy(b[steps:], "\x00\x02\x05\x00\x00\x03\x81\x01\x04\x00\x06\x07\x00\x08\x09\x00\x0a\x0b\x00")
	const first, second = 16 + 8, 16 + 8 + 44 + 4*2 + 4*4
	for _, n := range []uint32{0, first, 1, second, 2, 0} {
		b = word.AppendUint32(b, n)
	}
	function := func(name, stack, file, line uint32, safe, pointers uint32) {
		for _, n := range []uint32{0, name, 8, 0, stack, file, line, 2, 3, 40, 4 << 24, safe, pointers} {
			b = word.AppendUint32(b, n)
		}
		for n := range uint32(4) {
			b = word.AppendUint32(b, 100+n)
		}
	}
	function(0, 1, 16, 4, 10, 13)
	function(10, 1, 16, 4, 0, 13)
	b = append(b, "behind"...)
	for i := range 20 * 16 {
		b = append(word.AppendUint32(b, uint32(i/16)), make([]byte, 16)...)
	}
	return append(b, "end"...)
}

// TestCompactTables: what serves lines of the source goes, and the names but for one of the runtime and one
// of all others; the steps of the stack and of the pointers move together, and the bucket of a function leads
// to one at or before it.
func TestCompactTables(t *testing.T) {
	old := program(stretch(1000, string(tables())))
	require.Equal(t, old, build.Compact(old, "go1.25"), "tables of another version are not known")
	got := build.Memory(build.Compact(old, "go1.26.3"))[1000:]
	require.Len(t, got, len(tables()))
	require.Equal(t, tables()[:72], got[:72], "head")
	require.Equal(t, "runtime.function\x00page.(*program).function\x00", string(got[72:114]))
	require.Equal(t, make([]byte, 6), got[114:120], "other names")
	require.Equal(t, make([]byte, 8), got[120:128], "units and files")
	require.Equal(t, "\x00\x02\x05\x00\x08\x09\x00", string(got[128:135]), "steps")
	require.Equal(t, make([]byte, 17), got[135:152], "other steps")
	require.Equal(t, tables()[152:176], got[152:176], "where the functions are")
	for i, name := range []uint32{0, 17} {
		f := got[176+68*i:]
		want := []uint32{0, name, 8, 0, 1, 0, 0, 2, 0, 0, 4 << 24, 0, 4, 100, 101, 102, ^uint32(0)}
		for k, n := range want {
			require.Equal(t, n, binary.LittleEndian.Uint32(f[4*k:]), "function %d, field %d", i, k)
		}
	}
	rest := got[176+2*68:]
	require.Equal(t, "behind", string(rest[:6]))
	for i := range 20 * 16 {
		bucket := rest[6+20*i:][:20]
		require.Equal(t, make([]byte, 16), bucket[4:])
		from := binary.LittleEndian.Uint32(bucket)
		require.Equal(t, uint32(i/16/16*16), from, "bucket %d", i)
	}
	require.Equal(t, "end", string(rest[6+20*20*16:]))
}

// TestCompactOtherTables: a program whose tables are not as expected stays as it is, also where a number in
// them leads out of them.
func TestCompactOtherTables(t *testing.T) {
	const functions, first = 152, 152 + 16 + 8
	for name, change := range map[string]func(b []byte) []byte{
		"cut off":           func(b []byte) []byte { return b[:20] },
		"other head":        func(b []byte) []byte { b[32]++; return b },
		"units in the head": func(b []byte) []byte { b[40] = 8; return b },
		"steps last":        func(b []byte) []byte { b[56] = 255; return b },
		"1000 functions":    func(b []byte) []byte { b[8], b[9] = 1000&255, 1000>>8; return b[:first+200] },
		"2^61 functions":    func(b []byte) []byte { b[15] = 0x20; return b },
		"far function":      func(b []byte) []byte { b[functions+7] = 1; return b },
		"last function":     func(b []byte) []byte { return b[:first+40] },
		"many steps":        func(b []byte) []byte { b[first+31] = 0xff; return b },
		"many tables":       func(b []byte) []byte { b[first+43] = 200; return b[:first+200] },
		"far stack":         func(b []byte) []byte { b[first+16] = 200; return b },
		"far step":          func(b []byte) []byte { b[first+44+4] = 24; return b },
		"endless steps": func(b []byte) []byte {
			copy(b[128:152],
				bytes.Repeat([]byte{0x80}, 24))
			return b
		},
		"steps up to the end": func(b []byte) []byte {
			copy(b[128:152], bytes.Repeat([]byte{1}, 24))
			return b
		},
		"steps within steps": func(b []byte) []byte {
			copy(b[128:152], append(bytes.Repeat([]byte{1}, 23), 0))
			return b
		},
		"far name":     func(b []byte) []byte { b[first+4] = 48; return b },
		"no two names": func(b []byte) []byte { b[40] = 72 + 41; return b },
	} {
		p := program(stretch(1000, string(change(tables()))))
		require.Equal(t, p, build.Compact(p, "go1.26"), name)
	}
	short := tables()[:len(tables())-3-16] // the last bucket ends within its zeros
	require.NotPanics(t, func() { build.Compact(program(stretch(0, string(short))), "go1.26") })
}

// FuzzCompact: a program of any bytes, or with any data, becomes one that has as much data and can be
// compacted again, and stays as it is where that cannot be.
func FuzzCompact(f *testing.F) {
	f.Add(tables())
	f.Add(program(stretch(100, "ab"), stretch(106, "cde")))
	f.Fuzz(func(t *testing.T, data []byte) {
		build.Compact(data, "go1.26")
		p := program(stretch(100, string(data)))
		full := bytes.TrimRight(append(make([]byte, 100), data...), "\x00")
		require.True(t, bytes.Equal(full, build.Memory(build.Compact(p, ""))))
		got := build.Compact(p, "go1.26")
		require.LessOrEqual(t, len(build.Memory(got)), 100+len(data))
		if !bytes.Equal(p, got) {
			require.LessOrEqual(t, len(got), len(p))
		}
		require.NotEmpty(t, build.Compact(got, "go1.26"))
	})
}
