package models

import (
	"fmt"
	"slices"
	"strings"
)

// Coarse selects the stand-ins for points that are far away. Not every model
// has every one.
type Coarse int

const (
	// CoarseAuto lets the model choose by the number of points and dimensions.
	CoarseAuto Coarse = iota
	// CoarseInput is the paper's: landmarks in the input (package landmark).
	CoarseInput
	// CoarseMap, CoarseShared and CoarseAll are those of package farfield: cells in
	// the map, shared random points, every pair.
	CoarseMap
	CoarseShared
	CoarseAll
)

var coarseNames = Names[Coarse]{"auto", "input", "map", "shared", "all"}

// String is the word for the choice, in settings and model files.
func (c Coarse) String() string { return coarseNames.Word(c) }

// Known reports whether there is such a choice.
func (c Coarse) Known() bool { return coarseNames.Known(c) }

// MarshalText implements encoding.TextMarshaler.
func (c Coarse) MarshalText() ([]byte, error) { return coarseNames.Marshal(c) }

// UnmarshalText implements encoding.TextUnmarshaler. Model files of version 0.1.0 may say anchors,
// random cells in the map. Such maps are learnt further with CoarseShared.
func (c *Coarse) UnmarshalText(b []byte) error {
	if string(b) == "anchors" {
		*c = CoarseShared
		return nil
	}
	return coarseNames.Unmarshal(c, b)
}

// Names are the words for the values 0, 1, ... of a choice, in settings and model
// files.
type Names[C ~int] []string

// Known reports whether there is a word for c.
func (n Names[C]) Known(c C) bool { return c >= 0 && int(c) < len(n) }

// Word returns that for c, or one that shows that there is none.
func (n Names[C]) Word(c C) string {
	if !n.Known(c) {
		return fmt.Sprintf("choice %d", int(c))
	}
	return n[c]
}

// Marshal returns the word for c.
func (n Names[C]) Marshal(c C) ([]byte, error) {
	if !n.Known(c) {
		return nil, fmt.Errorf("there is no choice %d among %s", int(c), strings.Join(n, ", "))
	}
	return []byte(n[c]), nil
}

// Unmarshal sets c to the value that a word stands for.
func (n Names[C]) Unmarshal(c *C, word []byte) error {
	i := slices.Index(n, string(word))
	if i < 0 {
		return fmt.Errorf("%q is none of %s", word, strings.Join(n, ", "))
	}
	*c = C(i)
	return nil
}
