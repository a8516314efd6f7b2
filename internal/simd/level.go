package simd

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Level is a set of vector instructions. On amd64 higher levels include lower ones.
type Level int

const (
	// Generic is plain Go.
	Generic Level = iota
	// AVX2 has 256 bits with fused multiply-add, on amd64.
	AVX2
	// AVX512 has 512 bits: the foundation and the byte and word, double and quad word, and vector
	// length extensions.
	AVX512
	// NEON has the 128 bits of every arm64 processor.
	NEON
)

// Variable is the environment variable that lowers the level: avx512, avx2, neon or plain. The value
// sse also selects plain Go, which compilers for amd64 translate to scalar SSE2.
const Variable = "UNFOLD_CPU"

var (
	names   = [...]string{Generic: "generic", AVX2: "avx2", AVX512: "avx512", NEON: "neon"}
	choices = map[string]Level{"avx512": AVX512, "avx2": AVX2, "neon": NEON, "sse": Generic, "plain": Generic, "generic": Generic}
)

// best is the current level. It is set once, when the program starts, since kernels of two levels
// in one program would break the promise of the same bits from run to run.
var best, errChoice = choose(detected, os.Getenv(Variable))

func (l Level) String() string { return names[l] }

// Best returns the highest level of this processor and build, or a lower one that the environment
// variable UNFOLD_CPU selects.
func Best() Level { return best }

// Choice returns an error if UNFOLD_CPU is not a level, or one that this processor or build lacks.
// Best ignores such a value.
func Choice() error { return errChoice }

// Levels returns Best and all lower levels, from the lowest, for tests of every kernel.
func Levels() []Level { return levels(best) }

func levels(highest Level) []Level {
	if highest == NEON {
		return []Level{Generic, NEON}
	}
	var out []Level
	for l := range highest + 1 {
		out = append(out, l)
	}
	return out
}

// choose returns the level that a value of Variable selects on a processor of a level.
func choose(have Level, value string) (Level, error) {
	if value == "" {
		return have, nil
	}
	l, ok := choices[strings.ToLower(value)]
	if ok && slices.Contains(levels(have), l) {
		return l, nil
	}
	var usable []string
	for _, l := range slices.Backward(levels(have)) {
		usable = append(usable, l.choice())
	}
	problem := "names no set of vector instructions"
	if ok {
		problem = "is not available on this processor or in this build"
	}
	return have, fmt.Errorf("%s=%s %s: use %s", Variable, value, problem, strings.Join(usable, " or "))
}

// choice returns the value of Variable that selects the level.
func (l Level) choice() string {
	if l == Generic {
		return "plain"
	}
	return l.String()
}
