package simd

// Level names a set of vector instructions. Of those of amd64 higher levels include lower
// ones.
type Level int

const (
	// Generic is plain Go.
	Generic Level = iota
	// AVX2 is 256 bits with fused multiply and add, of amd64.
	AVX2
	// AVX512 is 512 bits: the foundation and the byte and word, double and quad
	// word, and vector length extensions.
	AVX512
	// NEON is the 128 bits that every processor of arm64 has.
	NEON
)

var names = [...]string{Generic: "generic", AVX2: "avx2", AVX512: "avx512", NEON: "neon"}

func (l Level) String() string { return names[l] }

// Best returns the highest level that this processor and build have.
func Best() Level { return best }

// Levels returns all that this processor and build have, from the lowest, for
// tests of every kernel.
func Levels() []Level {
	if best == NEON {
		return []Level{Generic, NEON}
	}
	var out []Level
	for l := range best + 1 {
		out = append(out, l)
	}
	return out
}
