package emit

import (
	"fmt"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// outputColumns lists the columns of placed events in their order. All code that slices, joins,
// writes or reads outputs iterates over this list, so that a new column needs only a field of
// Output and an entry here.
var outputColumns = []outputColumn{
	idColumn{},
	keptColumns{},
	placeColumn{},
	series[float32]{SigmaName, func(o *Output) *[]float32 { return &o.Sigma }, table.Float32Column, (*body).floats, readFloats, appendFloat32},
	series[float32]{NoveltyLocalName, func(o *Output) *[]float32 { return &o.NoveltyLocal }, table.Float32Column, (*body).floats, readFloats, appendFloat32},
	series[float32]{NoveltyGlobalName, func(o *Output) *[]float32 { return &o.NoveltyGlobal }, table.Float32Column, (*body).floats, readFloats, appendFloat32},
	series[float32]{LogLikName, func(o *Output) *[]float32 { return &o.LogLik }, table.Float32Column, (*body).floats, readFloats, appendFloat32},
	series[string]{ClassName, func(o *Output) *[]string { return &o.Class }, table.StringColumn, (*body).strings, readTexts, appendQuoted},
	series[float32]{ClassProbabilityName, func(o *Output) *[]float32 { return &o.Probability }, table.Float32Column, (*body).floats, readFloatsOrNaN, appendFloat32},
	sharesColumn{},
	series[float32]{ClassEntropyName, func(o *Output) *[]float32 { return &o.ClassEntropy }, table.Float32Column, (*body).floats, readFloatsOrNaN, appendFloat32},
	series[int64]{ClusterName, func(o *Output) *[]int64 { return &o.Cluster }, table.Int64Column, (*body).int64s, readIntegers, appendInt64},
	series[float32]{ClusterProbabilityName, func(o *Output) *[]float32 { return &o.ClusterProbability }, table.Float32Column, (*body).floats, readFloatsOrNaN, appendFloat32},
	series[float32]{ClusterOutlierName, func(o *Output) *[]float32 { return &o.ClusterOutlier }, table.Float32Column, (*body).floats, readFloatsOrNaN, appendFloat32},
	nested[Reason]{ReasonsName, func(o *Output) *[][]Reason { return &o.Reasons }, &reasonItems},
	nested[Neighbor]{NeighborsName, func(o *Output) *[][]Neighbor { return &o.Neighbors }, &neighborItems},
	constant[uint32]{EpochName, func(o *Output) *uint32 { return &o.Epoch }, table.Uint32Column, (*body).uint32s},
	constant[uint64]{VersionName, func(o *Output) *uint64 { return &o.Version }, table.Uint64Column, (*body).uint64s},
}

// outputColumn is an entry of outputColumns, with the operations on its column.
type outputColumn interface {
	// String returns the name of the column.
	String() string
	// there reports whether an output has the column.
	there(*Output) bool
	// check returns an error if the output's values of the column are invalid.
	check(*Output) error
	// cut leaves rows from..to, sharing memory.
	cut(o *Output, from, to int)
	// join concatenates the column's values of the parts, which all have the column, into out.
	join(out *Output, parts []*Output) error
	// columns returns the values as columns of a table. The function places converts coordinates.
	columns(o *Output, places layout) []table.Column
	// write adds the column to a message's body.
	write(*body, *Output)
	// json adds the fields of event i to a JSON object.
	json(w *jsonRow, o *Output, i int)
	// avro returns the Avro fields, which are the same for all outputs with the same columns.
	avro(*Output) []avroField
	// proto adds the fields of the only event to a message of Protobuf.
	proto(w *protoRow, o *Output)
	// names returns the names of the table's columns from which read takes the values, or none if
	// the table lacks them.
	names(table.Schema) []string
	// read sets the output's values from the columns with these names.
	read(o *Output, t *table.Table, names []string) error
}

// layout converts coordinates to columns: one fixed-size list, one list, or one column per
// dimension.
type layout func(x vec.Matrix[float32]) []table.Column

// fixedLayout is the layout in Arrow: one fixed-size list.
func fixedLayout(x vec.Matrix[float32]) []table.Column {
	return []table.Column{table.VectorColumn(EmbeddingName, x)}
}

// presence returns the set of an output's columns, one bit for each entry of outputColumns.
func presence(o *Output) (set uint32) {
	for i, c := range outputColumns {
		if c.there(o) {
			set |= 1 << i
		}
	}
	return set
}

// each calls f for the columns that an output has, until f returns an error.
func (o *Output) each(f func(outputColumn) error) error {
	for _, c := range outputColumns {
		if !c.there(o) {
			continue
		}
		if err := f(c); err != nil {
			return err
		}
	}
	return nil
}

// reserved holds the names that a kept column cannot have.
var reserved = reservedNames()

func reservedNames() (names []string) {
	for _, c := range outputColumns {
		// Names of optional columns are reserved only if the output has these columns: see
		// CheckLogLik, CheckClasses, CheckClusters and CheckReasons.
		if name := c.String(); partners(name) == nil && c != (keptColumns{}) {
			names = append(names, name)
		}
	}
	return names
}

// check returns an error if an output is invalid.
func (o *Output) check() error {
	if (o.Class == nil) != (o.Probability == nil) {
		return fmt.Errorf("ingest: %d classes and %d probabilities for %d events", len(o.Class), len(o.Probability), o.Len())
	}
	if (o.Cluster == nil) != (o.ClusterProbability == nil) || (o.Cluster == nil) != (o.ClusterOutlier == nil) {
		return fmt.Errorf("ingest: %d clusters, %d of their probabilities and %d outlier scores for %d events", len(o.Cluster), len(o.ClusterProbability), len(o.ClusterOutlier), o.Len())
	}
	if (o.Reasons == nil) != (o.Neighbors == nil) {
		return fmt.Errorf("ingest: %d lists of reasons and %d of neighbours for %d events", len(o.Reasons), len(o.Neighbors), o.Len())
	}
	return o.each(func(c outputColumn) error { return c.check(o) })
}

// table lays the output out as columns.
func (o *Output) table(places layout) (*table.Table, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	var all []table.Column
	for _, c := range outputColumns {
		if c.there(o) {
			all = append(all, c.columns(o, places)...)
		}
	}
	return table.NewTable(table.Origin{}, all...)
}

// Slice returns events from..to-1, sharing memory.
func (o *Output) Slice(from, to int) *Output {
	out := *o
	_ = out.each(func(c outputColumn) error { c.cut(&out, from, to); return nil })
	out.FirstRow += int64(from)
	return &out
}

// concatOutputs concatenates outputs with the same columns. Values that hold for all events of an
// output are taken from the last.
func concatOutputs(parts []*Output) (*Output, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	out := &Output{FirstRow: parts[0].FirstRow, MapID: parts[0].MapID}
	for _, c := range outputColumns {
		n := 0
		for _, p := range parts {
			if c.there(p) {
				n++
			}
		}
		if n == 0 {
			continue
		}
		if n != len(parts) {
			return nil, fmt.Errorf("the columns change between batches: %d of %d have %s", n, len(parts), c)
		}
		if err := c.join(out, parts); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sameConstants reports whether two outputs agree in the values that hold for all their events.
func sameConstants(a, b *Output) bool {
	for _, c := range outputColumns {
		if c, ok := c.(interface{ same(a, b *Output) bool }); ok && !c.same(a, b) {
			return false
		}
	}
	return true
}

// readOutput converts a table that was written from outputs back to an output with this number of
// dimensions, or any number for 0. Columns that no entry recognizes become kept columns.
func readOutput(t *table.Table, dims int, holes bool) (*Output, error) {
	s, o := t.Schema(), &Output{holes: holes}
	o.Embedding.Cols = dims
	taken := map[string]bool{}
	for _, c := range outputColumns {
		names := c.names(s)
		if len(names) == 0 {
			continue
		}
		if err := c.read(o, t, names); err != nil {
			return nil, err
		}
		for _, name := range names {
			taken[name] = true
		}
	}
	for _, c := range t.Columns() {
		if !taken[c.Name()] {
			if c, err := table.SoundColumn(c, t.Origin, false); err != nil {
				return nil, err
			} else {
				o.Kept = append(o.Kept, c)
			}
		}
	}
	return o, nil
}
