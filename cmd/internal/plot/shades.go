package plot

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

// A shade is a class's index in farColors. It depends on the class's own name first, so that a class
// keeps its colour when others come and go: web/src/shades.ts has the same rule, and a test compares
// both by web/test/shades.json.

// wishes are the ranges of the shades that a text asks for, one after the other. All eyes can
// distinguish the first ten, so few classes should have them. The more tries texts have among these, the
// more do their colours depend on other texts.
var wishes = []struct{ tries, below int }{{3, trusted}, {8, 64}}

// inkShade is nearly black on white, and nearly white on dark grounds. Texts do not ask for it: it
// looks like no class.
const inkShade = 6

// counted is the number of a name's first bytes that count: the page cuts longer names.
const counted = 256

// shadesOf assigns shades to at most MaxClasses different names, whatever their order. Names that end
// in numbers come first, since no two of them that differ only by the number ask for the same shade.
func shadesOf(names []string) map[string]int {
	names = slices.Clone(names)
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(turn(a), turn(b)), cmp.Compare(a, b))
	})
	shades := make(map[string]int, len(names))
	var taken [MaxClasses]bool
	for _, name := range names {
		for shade := range wishesOf(name) {
			if !taken[shade] {
				taken[shade] = true
				shades[name] = shade
				break
			}
		}
	}
	return shades
}

// turn is smaller for names that choose their shades earlier. It is random among texts, so that a new
// one takes the shade of another in half of the cases at most.
func turn(name string) uint64 {
	at := uint64(scrambled(hashOf(name) ^ 0x5bd1e995))
	if numberOf(name) < 0 {
		at += 1 << 32
	}
	return at
}

// hashOf is FNV-1a of a name's first bytes.
func hashOf(name string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(name[:min(len(name), counted)]))
	return h.Sum32()
}

// numberOf returns the number at the end of a name, -1 if there is none or it is no shade.
func numberOf(name string) int {
	n, err := strconv.Atoi(name[len(strings.TrimRight(name, "0123456789")):])
	if err != nil || n >= MaxClasses || len(name) > counted {
		return -1
	}
	return n
}

// wishesOf yields all shades in the order in which a name asks for them: first its number, then its
// hashes, then the first ones. Some come more than once.
func wishesOf(name string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		if n := numberOf(name); n >= 0 && !yield(n) {
			return
		}
		sum, try := hashOf(name), uint32(0)
		for _, w := range wishes {
			for range w.tries {
				shade := int(scrambled(sum+try*0x9e3779b9) % uint32(w.below))
				try++
				if shade != inkShade && !yield(shade) {
					return
				}
			}
		}
		for shade := range MaxClasses {
			if !yield(shade) {
				return
			}
		}
	}
}

// scrambled is the finalizer of MurmurHash3 (A. Appleby).
func scrambled(x uint32) uint32 {
	x ^= x >> 16
	x *= 0x85ebca6b
	x ^= x >> 13
	x *= 0xc2b2ae35
	return x ^ x>>16
}
