package saul

import (
	"fmt"
	"slices"
	"strings"

	"unfold/coarse/farfield"
)

// Tails says how the probability that two points coincide falls with their
// distance on the map.
type Tails int

const (
	// Student is the default: heavy tails, a scale mixture of the paper's model
	// (package student).
	Student Tails = iota
	// Gaussian is the paper's model, as published.
	Gaussian
)

// Coarse says what points are held against beside their neighbours.
type Coarse int

const (
	// CoarseAuto is, with Gaussian tails, CoarseInput. With heavy tails it is
	// CoarseMap for up to three dimensions and CoarseShared for more. Fewer than
	// 2,000 points always have CoarseAll.
	CoarseAuto Coarse = iota
	// CoarseInput is the paper's: landmarks in the input (Gaussian tails only:
	// landmarks hide that points of different groups repel each other).
	CoarseInput
	// CoarseMap, CoarseShared, CoarseAnchors and CoarseAll are those of package
	// field (heavy tails only): cells in the map, shared random points, random
	// cells in the map, every pair.
	CoarseMap
	CoarseShared
	CoarseAnchors
	CoarseAll
)

// Scales says what the length scales of pairs are (heavy tails).
type Scales int

const (
	// NativeScales are the paper's own, delta_ij and Delta_i by the distances of
	// neighbours, in units of their median, clipped.
	NativeScales Scales = iota
	// UnitScales are all 1.
	UnitScales
)

// SigmaMode says what becomes of the latent variances (heavy tails).
type SigmaMode int

const (
	// SigmaFixed leaves them at Settings.Sigma2, SigmaShared learns one for all
	// points, SigmaFree one for each.
	SigmaFixed SigmaMode = iota
	SigmaShared
	SigmaFree
)

var (
	tailNames   = []string{Student: "student", Gaussian: "gaussian"}
	coarseNames = []string{CoarseAuto: "auto", CoarseInput: "input", CoarseMap: "map", CoarseShared: "shared", CoarseAnchors: "anchors", CoarseAll: "all"}
	scaleNames  = []string{NativeScales: "native", UnitScales: "unit"}
	sigmaNames  = []string{SigmaFixed: "fixed", SigmaShared: "shared", SigmaFree: "free"}
)

// String is the word for the choice, in settings and model files.
func (t Tails) String() string { return word(tailNames, t) }

// String is the word for the choice, in settings and model files.
func (c Coarse) String() string { return word(coarseNames, c) }

// String is the word for the choice, in settings and model files.
func (s Scales) String() string { return word(scaleNames, s) }

// String is the word for the choice, in settings and model files.
func (s SigmaMode) String() string { return word(sigmaNames, s) }

// MarshalText implements encoding.TextMarshaler.
func (t Tails) MarshalText() ([]byte, error) { return text(tailNames, t) }

// MarshalText implements encoding.TextMarshaler.
func (c Coarse) MarshalText() ([]byte, error) { return text(coarseNames, c) }

// MarshalText implements encoding.TextMarshaler.
func (s Scales) MarshalText() ([]byte, error) { return text(scaleNames, s) }

// MarshalText implements encoding.TextMarshaler.
func (s SigmaMode) MarshalText() ([]byte, error) { return text(sigmaNames, s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (t *Tails) UnmarshalText(b []byte) error { return choose(tailNames, t, b) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *Coarse) UnmarshalText(b []byte) error { return choose(coarseNames, c, b) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Scales) UnmarshalText(b []byte) error { return choose(scaleNames, s, b) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *SigmaMode) UnmarshalText(b []byte) error { return choose(sigmaNames, s, b) }

func word[C ~int](names []string, c C) string {
	if c < 0 || int(c) >= len(names) {
		return fmt.Sprintf("choice %d", int(c))
	}
	return names[c]
}

func text[C ~int](names []string, c C) ([]byte, error) {
	if c < 0 || int(c) >= len(names) {
		return nil, fmt.Errorf("lvm: there is no choice %d among %s", int(c), strings.Join(names, ", "))
	}
	return []byte(names[c]), nil
}

func choose[C ~int](names []string, c *C, b []byte) error {
	i := slices.Index(names, string(b))
	if i < 0 {
		return fmt.Errorf("%q is none of %s", b, strings.Join(names, ", "))
	}
	*c = C(i)
	return nil
}

// Resolve returns what c comes to for a map of n points: with heavy tails and few
// points CoarseAll, whatever was asked for.
func (c Coarse) Resolve(tails Tails, n, dims int) Coarse {
	switch {
	case tails == Gaussian:
		return CoarseInput
	case n < farfield.ExactBelow:
		return CoarseAll
	case c != CoarseAuto:
		return c
	case dims <= mostCells:
		return CoarseMap
	}
	return CoarseShared
}

// mostCells is the largest number of dimensions for cells in the map: their memory
// grows with the square of it, and their sources faster.
const mostCells = 3
