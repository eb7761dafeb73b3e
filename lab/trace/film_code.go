package trace

import (
	"encoding/binary"
	"encoding/json"
	"slices"

	"github.com/go-election/election/input"
)

// filmMagic begins an encoded film. Behind it stand the version and the length of the head, both in 32 bits,
// and 32 bits that are zero; then the head, and the columns, each at a multiple of 8.
const (
	filmMagic   = "EFLM"
	filmVersion = 1
	filmStart   = 16
	filmAlign   = 8
)

// column is a column of a film: its name, and a pointer to a slice of numbers.
type column struct {
	name string
	to   any
}

// table is one of the parts of a film.
type table struct {
	name    string
	columns []column
}

// tables returns the columns of a film. They are encoded in this order.
func (f *Film) tables() []table {
	e, s, c := &f.Events, &f.Steps, &f.Changes
	return []table{
		{"events", []column{{"do", &e.Do}, {"process", &e.Process}, {"step", &e.Step}, {"at", &e.At},
			{"port", &e.Port}, {"peer", &e.Peer}, {"link", &e.Link}, {"copy", &e.Copy}, {"kind", &e.Kind},
			{"flags", &e.Flags}, {"layer", &e.Layer}, {"timer", &e.Timer}, {"term", &e.Term},
			{"rank", &e.Rank}, {"priority", &e.Priority}, {"value", &e.Value}, {"round", &e.Round},
			{"min", &e.Min}, {"max", &e.Max}}},
		{"steps", []column{{"first", &s.First}, {"count", &s.Count}, {"process", &s.Process}, {"do", &s.Do},
			{"at", &s.At}}},
		{"changes", []column{{"step", &c.Step}, {"process", &c.Process}, {"role", &c.Role},
			{"status", &c.Status}, {"done", &c.Done}, {"term", &c.Term}, {"leader", &c.Leader},
			{"until", &c.Until}}},
	}
}

// shape returns the type of a column's numbers, their bytes, and how many there are.
func (c *column) shape() (kind string, size, n int) {
	switch to := c.to.(type) {
	case *[]uint8:
		return "u8", 1, len(*to)
	case *[]uint16:
		return "u16", 2, len(*to)
	case *[]uint32:
		return "u32", 4, len(*to)
	case *[]int32:
		return "i32", 4, len(*to)
	case *[]uint64:
		return "u64", 8, len(*to)
	case *[]float64:
		return "f64", 8, len(*to)
	}
	panic("trace: a column of another type")
}

// Encode returns the film as bytes, little-endian, in which every column can be read in place. The head has
// the place of each: {"columns": {"events": {"n": 7, "cols": {"do": ["u8", 4096]}}}}.
func (f *Film) Encode() ([]byte, error) {
	tables := f.tables()
	var head []byte
	// The head holds the offsets, which depend on its length, which depends on their digits.
	for room := 0; ; room = len(head) {
		f.Head.Columns = layOut(tables, filmStart+room)
		text, err := json.Marshal(&f.Head)
		if err != nil {
			return nil, err
		}
		head = padded(text, ' ')
		if len(head) <= room {
			head = append(head, slices.Repeat([]byte{' '}, room-len(head))...)
			break
		}
	}
	b := append(make([]byte, 0, filmStart+len(head)), filmMagic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(f.Head.Version))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(head)))
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = append(b, head...)
	size := 0
	for _, t := range tables {
		for i := range t.columns {
			_, bytes, n := t.columns[i].shape()
			size += bytes*n + filmAlign
		}
	}
	b = slices.Grow(b, size)
	for _, t := range tables {
		for i := range t.columns {
			b, _ = binary.Append(b, binary.LittleEndian, t.columns[i].values()) // a slice of numbers can be written
			b = padded(b, 0)
		}
	}
	return b, nil
}

// layOut gives each column its place.
func layOut(tables []table, at int) map[string]FilmTable {
	all := make(map[string]FilmTable)
	for _, t := range tables {
		part := FilmTable{Columns: make(map[string][2]any)}
		for i := range t.columns {
			kind, size, n := t.columns[i].shape()
			part.N, part.Columns[t.columns[i].name] = n, [2]any{kind, at}
			at += (size*n + filmAlign - 1) / filmAlign * filmAlign
		}
		all[t.name] = part
	}
	return all
}

// padded brings bytes to a multiple of 8.
func padded(b []byte, with byte) []byte {
	for len(b)%filmAlign != 0 {
		b = append(b, with)
	}
	return b
}

// values returns the numbers of a column, a slice.
func (c *column) values() any {
	switch to := c.to.(type) {
	case *[]uint8:
		return *to
	case *[]uint16:
		return *to
	case *[]uint32:
		return *to
	case *[]int32:
		return *to
	case *[]uint64:
		return *to
	}
	return *c.to.(*[]float64)
}

// ReadFilm reads what [Film.Encode] writes. An error wraps election.ErrInput.
func ReadFilm(b []byte) (*Film, error) {
	if len(b) < filmStart || string(b[:len(filmMagic)]) != filmMagic {
		return nil, input.Errorf("film: it does not begin with %s", filmMagic)
	}
	if v := binary.LittleEndian.Uint32(b[4:]); v != filmVersion {
		return nil, input.Errorf("film: version %d, and this program reads %d", v, filmVersion)
	}
	length := uint64(binary.LittleEndian.Uint32(b[8:]))
	if length > uint64(len(b)-filmStart) {
		return nil, input.Errorf("film: it ends within its head")
	}
	f := &Film{}
	if err := json.Unmarshal(b[filmStart:filmStart+length], &f.Head); err != nil {
		return nil, input.Errorf("film: head: %w", err)
	}
	for _, t := range f.tables() {
		part := f.Head.Columns[t.name]
		for i := range t.columns {
			c := &t.columns[i]
			if err := c.read(b, part.N, part.Columns[c.name]); err != nil {
				return nil, input.At("film: "+t.name+"."+c.name, err)
			}
		}
	}
	return f, nil
}

// read takes n numbers of a column from the place that the head gives.
func (c *column) read(b []byte, n int, where [2]any) error {
	kind, size, _ := c.shape()
	offset, ok := where[1].(float64)
	switch at := int(offset); {
	case where[0] != kind || !ok || float64(at) != offset:
		return input.Errorf("%v is not %s and an offset", where, kind)
	case n < 0 || at < 0 || at%filmAlign != 0 || at > len(b) || n > (len(b)-at)/size:
		return input.Errorf("%d numbers at %d are not within %d bytes", n, at, len(b))
	default:
		b = b[at : at+n*size]
	}
	if n == 0 {
		return nil // the column stays nil
	}
	switch to := c.to.(type) {
	case *[]uint8:
		*to = make([]uint8, n)
	case *[]uint16:
		*to = make([]uint16, n)
	case *[]uint32:
		*to = make([]uint32, n)
	case *[]int32:
		*to = make([]int32, n)
	case *[]uint64:
		*to = make([]uint64, n)
	case *[]float64:
		*to = make([]float64, n)
	}
	_, err := binary.Decode(b, binary.LittleEndian, c.values())
	return err
}
