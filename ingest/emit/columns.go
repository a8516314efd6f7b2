package emit

import (
	"fmt"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// outputColumns are the columns of placed events, in their order. This is the only list
// of them: whoever cuts, joins, writes or reads outputs walks it, so that a new column is
// a field of Output and a line here.
var outputColumns = []outputColumn{
	idColumn{},
	keptColumns{},
	placeColumn{},
	series[float32]{SigmaName, func(o *Output) *[]float32 { return &o.Sigma }, table.Float32Column, (*body).floats, readFloats, appendFloat32},
	series[float32]{NoveltyLocalName, func(o *Output) *[]float32 { return &o.NoveltyLocal }, table.Float32Column, (*body).floats, readFloats, appendFloat32},
	series[float32]{NoveltyGlobalName, func(o *Output) *[]float32 { return &o.NoveltyGlobal }, table.Float32Column, (*body).floats, readFloats, appendFloat32},
	series[string]{className, func(o *Output) *[]string { return &o.Class }, table.StringColumn, (*body).strings, readTexts, appendQuoted},
	series[float32]{probabilityName, func(o *Output) *[]float32 { return &o.Probability }, table.Float32Column, (*body).floats, readFloatsOrNaN, appendFloat32},
	series[int64]{ClusterName, func(o *Output) *[]int64 { return &o.Cluster }, table.Int64Column, (*body).int64s, readIntegers, appendInt64},
	series[float32]{ClusterProbabilityName, func(o *Output) *[]float32 { return &o.ClusterProbability }, table.Float32Column, (*body).floats, readFloatsOrNaN, appendFloat32},
	series[float32]{ClusterOutlierName, func(o *Output) *[]float32 { return &o.ClusterOutlier }, table.Float32Column, (*body).floats, readFloatsOrNaN, appendFloat32},
	nested[Reason]{ReasonsName, func(o *Output) *[][]Reason { return &o.Reasons }, &reasonItems},
	nested[Neighbor]{NeighborsName, func(o *Output) *[][]Neighbor { return &o.Neighbors }, &neighborItems},
	constant[uint32]{EpochName, func(o *Output) *uint32 { return &o.Epoch }, table.Uint32Column, (*body).uint32s},
	constant[uint64]{VersionName, func(o *Output) *uint64 { return &o.Version }, table.Uint64Column, (*body).uint64s},
}

// outputColumn is an entry of outputColumns: where values are and what they become.
type outputColumn interface {
	// String names it.
	String() string
	// there says whether an output has it.
	there(*Output) bool
	// check says what is wrong with the values of an output that has it.
	check(*Output) error
	// cut leaves rows from..to, sharing memory.
	cut(o *Output, from, to int)
	// join puts the rows of parts, which all have it, into out end to end.
	join(out *Output, parts []*Output) error
	// columns returns it as columns of a table; places makes those of the places.
	columns(o *Output, places layout) []table.Column
	// write adds it to a message's body.
	write(*body, *Output)
	// json adds the fields of event i to an object.
	json(w *jsonRow, o *Output, i int)
	// avro are its fields in Avro, for all outputs of the same columns.
	avro(*Output) []avroField
	// proto adds the fields of the only event to a message of Protobuf.
	proto(w *protoRow, o *Output)
	// names are the columns' names of which read makes it; none if those of a table do
	// not hold it.
	names(table.Schema) []string
	// read takes it from the columns of these names.
	read(o *Output, t *table.Table, names []string) error
}

// layout makes columns of places: a fixed list, a list, or a column for each dimension.
type layout func(x vec.Matrix[float32]) []table.Column

// fixedLayout is the layout of Arrow.
func fixedLayout(x vec.Matrix[float32]) []table.Column {
	return []table.Column{table.VectorColumn(EmbeddingName, x)}
}

// presence is the set of an output's columns, a bit for each of outputColumns.
func presence(o *Output) (set uint32) {
	for i, c := range outputColumns {
		if c.there(o) {
			set |= 1 << i
		}
	}
	return set
}

// each calls f with the columns that an output has, until it returns an error.
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

// reserved are the names that a kept column cannot have.
var reserved = reservedNames()

func reservedNames() (names []string) {
	for _, c := range outputColumns {
		// Those that an output may lack are reserved where it has them: see CheckClasses,
		// CheckClusters and CheckReasons.
		if name := c.String(); partners(name) == nil && c != (keptColumns{}) {
			names = append(names, name)
		}
	}
	return names
}

// check says what is wrong with an output.
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

// Slice returns events from..to (to excluded), sharing memory.
func (o *Output) Slice(from, to int) *Output {
	out := *o
	_ = out.each(func(c outputColumn) error { c.cut(&out, from, to); return nil })
	out.FirstRow += int64(from)
	return &out
}

// concatOutputs joins outputs of the same columns end to end. What holds of all events
// of an output is the last one's.
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

// sameConstants says whether what holds of all events of one output holds of another's.
func sameConstants(a, b *Output) bool {
	for _, c := range outputColumns {
		if c, ok := c.(interface{ same(a, b *Output) bool }); ok && !c.same(a, b) {
			return false
		}
	}
	return true
}

// readOutput makes an output of a table that a writer of outputs made, of so many
// dimensions or, for 0, as many as there are. Columns that no entry knows are kept ones.
func readOutput(t *table.Table, dims int) (*Output, error) {
	s, o := t.Schema(), &Output{}
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
