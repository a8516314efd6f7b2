package ingest

import (
	"fmt"
	"slices"

	"unfold/sparse/vec"
)

// Names of the columns of a map and of a message downstream.
const (
	IDName            = "id"
	EmbeddingName     = "embedding"
	SigmaName         = "sigma"
	NoveltyLocalName  = "novelty_local"
	NoveltyGlobalName = "novelty_global"
	EpochName         = "map_epoch"
	VersionName       = "model_version"
	// ClassName and ProbabilityName are there where classes are told.
	ClassName       = "class"
	ProbabilityName = "class_probability"
)

// reserved are the names that a kept column cannot have.
var reserved = []string{IDName, EmbeddingName, SigmaName, NoveltyLocalName, NoveltyGlobalName, EpochName, VersionName}

// Output is a run of placed events: rows of a map, or a message downstream.
type Output struct {
	// ID identifies the events. No column: the row number takes its place, in
	// the file or, for a message, in the message.
	ID Column
	// Kept are the columns that pass through.
	Kept []Column
	// Embedding holds the coordinates, n x d.
	Embedding vec.Matrix[float32]
	// Sigma, NoveltyLocal and NoveltyGlobal have n values, or are nil: then the
	// column is left out.
	Sigma, NoveltyLocal, NoveltyGlobal []float32
	// Class and Probability are the classes that are told of the events and how likely
	// they are, n values, or both nil.
	Class       []string
	Probability []float32
	// Epoch and Version are those of the snapshot. Version 0 leaves both out.
	Epoch   uint32
	Version uint64
	// FirstRow is the row number of row 0 when there is no ID. Writers of files
	// count themselves.
	FirstRow int64
}

// Len returns the number of events.
func (o *Output) Len() int { return o.Embedding.Rows }

// CheckKept says which kept column a map could not hold because of its name.
// The id column may be kept too under the name id; it is not repeated.
func CheckKept(id string, keep []string) error {
	for _, name := range keep {
		if slices.Contains(reserved, name) && !(name == IDName && id == IDName) {
			return fmt.Errorf("column %q cannot be kept: the map has a column of that name itself; rename it in the input (reserved: %s)", name, list(reserved))
		}
	}
	return nil
}

// CheckClasses says which kept column goes badly with classes that are told.
func CheckClasses(keep []string) error {
	for _, name := range keep {
		if name == ClassName || name == ProbabilityName {
			return fmt.Errorf("column %q cannot be kept: what is told of the events' classes is in columns %s and %s; rename it in the input", name, ClassName, ProbabilityName)
		}
	}
	return nil
}

// table lays the output out as columns; embed makes the embedding's.
func (o *Output) table(embed func(string, vec.Matrix[float32]) Column) (*Table, error) {
	cols, err := o.before()
	if err != nil {
		return nil, err
	}
	cols = append(cols, embed(EmbeddingName, o.Embedding))
	rest, err := o.after()
	if err != nil {
		return nil, err
	}
	return NewTable(Origin{}, append(cols, rest...)...)
}

// before returns the columns left of the embedding: id and the kept ones.
func (o *Output) before() ([]Column, error) {
	n := o.Len()
	id := o.ID
	if !id.Valid() {
		values := make([]int64, n)
		for i := range values {
			values[i] = o.FirstRow + int64(i)
		}
		id = Int64Column(IDName, values)
	}
	cols := []Column{id.Renamed(IDName)}
	for _, c := range o.Kept {
		if c.Name() == IDName && o.ID.Name() == IDName {
			continue
		}
		if err := CheckKept(o.ID.Name(), []string{c.Name()}); err != nil {
			return nil, err
		}
		if o.Class != nil {
			if err := CheckClasses([]string{c.Name()}); err != nil {
				return nil, err
			}
		}
		cols = append(cols, c)
	}
	for _, c := range cols {
		if c.Len() != n {
			return nil, fmt.Errorf("ingest: column %q has %d rows for %d events", c.Name(), c.Len(), n)
		}
	}
	return cols, nil
}

// after returns the columns right of the embedding.
func (o *Output) after() ([]Column, error) {
	var cols []Column
	for _, c := range []struct {
		name   string
		values []float32
	}{{SigmaName, o.Sigma}, {NoveltyLocalName, o.NoveltyLocal}, {NoveltyGlobalName, o.NoveltyGlobal}} {
		if c.values == nil {
			continue
		}
		if len(c.values) != o.Len() {
			return nil, fmt.Errorf("ingest: %d values of %s for %d events", len(c.values), c.name, o.Len())
		}
		cols = append(cols, Float32Column(c.name, c.values))
	}
	if o.Class != nil {
		if len(o.Class) != o.Len() || len(o.Probability) != o.Len() {
			return nil, fmt.Errorf("ingest: %d classes and %d probabilities for %d events", len(o.Class), len(o.Probability), o.Len())
		}
		cols = append(cols, StringColumn(ClassName, o.Class), Float32Column(ProbabilityName, o.Probability))
	}
	if o.Version != 0 {
		cols = append(cols, uint32Column(EpochName, o.Len(), o.Epoch), uint64Column(VersionName, o.Len(), o.Version))
	}
	return cols, nil
}

// Slice returns events from..to (to excluded), sharing memory.
func (o *Output) Slice(from, to int) *Output {
	cut := func(v []float32) []float32 {
		if v == nil {
			return nil
		}
		return v[from:to]
	}
	out := *o
	out.ID = o.ID.Slice(from, to)
	out.Kept = make([]Column, len(o.Kept))
	for i, c := range o.Kept {
		out.Kept[i] = c.Slice(from, to)
	}
	out.Embedding = o.Embedding.Slice(from, to)
	out.Sigma, out.NoveltyLocal, out.NoveltyGlobal = cut(o.Sigma), cut(o.NoveltyLocal), cut(o.NoveltyGlobal)
	if o.Class != nil {
		out.Class, out.Probability = o.Class[from:to], cut(o.Probability)
	}
	out.FirstRow += int64(from)
	return &out
}
