package build

import (
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDigits reads back what is written, as boot.js does.
func TestDigits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		text := digits(b)
		require.Regexp(t, regexp.MustCompile(`^[#-;=-~]*$`), text)
		var got []byte
		value := func(c byte) uint32 {
			if c > '<' {
				c--
			}
			return uint32(c - '#')
		}
		for bits, waiting, i := uint32(0), 0, 0; i < len(text); i += 2 {
			bits |= (value(text[i]) + value(text[i+1])*91) << waiting
			for waiting += 13; waiting >= 8 && len(got) < n; waiting, bits = waiting-8, bits>>8 {
				got = append(got, byte(bits))
			}
		}
		require.Equal(t, append([]byte{}, b...), append([]byte{}, got...))
	}
}
