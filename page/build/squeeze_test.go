package build_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/page/build"
)

// requireSame fails if package gzip does not read what has been compressed.
func requireSame(t *testing.T, data []byte) (packed []byte) {
	t.Helper()
	packed = build.Squeeze(data)
	z, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	got, err := io.ReadAll(z)
	require.NoError(t, err)
	require.True(t, bytes.Equal(data, got), "%d bytes, %d came back", len(data), len(got))
	return packed
}

// TestSqueeze: data of all kinds comes back, also around the borders of the stretches that have one code.
func TestSqueeze(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := func(n, kinds int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(random.IntN(kinds))
		}
		return b
	}
	const stretch, window = 1 << 17, 1 << 15
	for _, data := range [][]byte{
		nil, {7}, {7, 7}, letters(255, 256), []byte(strings.Repeat("a", 259)), []byte("abcabcabcabc"),
		make([]byte, stretch-1), make([]byte, stretch), make([]byte, 2*stretch+1), letters(stretch+100, 2),
		letters(1000, 256), bytes.Repeat(letters(window, 256), 3), bytes.Repeat(letters(window+1, 256), 3),
	} {
		requireSame(t, data)
	}
	for distance := 1; distance <= window; distance = distance*3/2 + 1 { // all ways and lengths of copies
		block := letters(distance, 256)
		data := slices.Clone(block)
		for length := 3; length <= 270; length += 1 + random.IntN(40) {
			data = append(append(data, data[len(data)-distance:][:min(length, distance)]...), byte(length))
		}
		requireSame(t, data)
	}
}

// TestSqueezeMore: a text takes less than package gzip needs at its best, by 3 % and more, and what can be
// copied from farthest away is.
func TestSqueezeMore(t *testing.T) {
	text, err := os.ReadFile("../web/texts.js")
	require.NoError(t, err)
	style, err := os.ReadFile("../web/page.css")
	require.NoError(t, err)
	text = append(text, style...)
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	require.NoError(t, err)
	_, err = z.Write(text)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.Less(t, 100*len(requireSame(t, text)), 97*b.Len())
	random := rand.New(rand.NewPCG(3, 4))
	far := make([]byte, 1<<15)
	for i := range far {
		far[i] = byte(random.Uint32())
	}
	require.Less(t, len(requireSame(t, append(far, far...))), len(far)+1000)
}

// TestSqueezeCuts: where data changes, another code begins: two halves with other letters take no more than
// each alone.
func TestSqueezeCuts(t *testing.T) {
	const n = 30_000
	random := rand.New(rand.NewPCG(5, 6))
	data := make([]byte, 2*n)
	for i := range data {
		data[i] = byte(8*(i/n) + random.IntN(8))
	}
	alone := len(requireSame(t, data[:n])) + len(requireSame(t, data[n:]))
	require.InDelta(t, alone, len(requireSame(t, data)), 100)
}

func FuzzSqueeze(f *testing.F) {
	f.Add([]byte("abcabcd"), uint16(3))
	f.Fuzz(func(t *testing.T, data []byte, times uint16) {
		requireSame(t, bytes.Repeat(data, 1+int(times)%50))
	})
}
