package simd

// Level names a set of vector instructions. Higher levels include lower ones.
type Level int

const (
	// Generic is plain Go.
	Generic Level = iota
	// AVX2 is 256 bits with fused multiply and add.
	AVX2
	// AVX512 is 512 bits: the foundation and the byte and word, double and quad
	// word, and vector length extensions.
	AVX512
)

var names = [...]string{Generic: "generic", AVX2: "avx2", AVX512: "avx512"}

func (l Level) String() string { return names[l] }

// Best returns the highest level that this processor and build have.
func Best() Level { return best }

// Levels returns all that this processor and build have, from the lowest, for
// tests of every kernel.
func Levels() []Level {
	var out []Level
	for l := range best + 1 {
		out = append(out, l)
	}
	return out
}
