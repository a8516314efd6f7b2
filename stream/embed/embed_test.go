package embed

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/placing"
	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/embed/embedtest"
)

// sample makes a table of vectors with ids and a column to keep.
func sample(t testing.TB, rng *rand.Rand, rows int) *table.Table {
	t.Helper()
	return embedtest.Sample(t, rng, 0, rows)
}

// learnt is a small map.
func learnt(t testing.TB) *snapshot.Snapshot {
	t.Helper()
	return embedtest.Fit(t, sample(t, rand.New(rand.NewPCG(1, 1)), 80), 10)
}

func opened(t *testing.T, s *snapshot.Snapshot, set Settings) *Map {
	t.Helper()
	m, err := Open(s, set)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// events returns the events of a message with a table.
func events(t *testing.T, records *table.Table, offset int64) stream.Events {
	t.Helper()
	value, err := emit.EncodeTable(records)
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewDecoder(arrowfmt.Limits{}).Decode(stream.Message{TopicPartition: stream.TopicPartition{Topic: "t"}, Offset: offset, Value: value})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Rows get the same places in a table, in a message, in a message among others and in a part of
// one.
func TestTableAndMessagesAgree(t *testing.T) {
	s, rng := learnt(t), rand.New(rand.NewPCG(2, 2))
	m := opened(t, s, Settings{})
	file, err := opened(t, s, Settings{Files: true}).For(sample(t, rng, 1).Schema(), "in")
	if err != nil {
		t.Fatal(err)
	}
	tables := []*table.Table{sample(t, rng, 7), sample(t, rng, 1), sample(t, rng, 20)}
	agree(t, m, file, tables)
}

// agree checks that rows get the same places in a table of file, in a message of m, in one among
// others and in a part of one. It returns the outcomes of the messages.
func agree(t *testing.T, m, file *Map, tables []*table.Table) []stream.Outcome {
	t.Helper()
	var in []stream.Events
	for i, records := range tables {
		in = append(in, events(t, records, int64(i)))
	}
	out, err := m.Place(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	for i, records := range tables {
		want, err := file.Table(t.Context(), records)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := emit.EncodeMessage(want)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out[i].Value, whole) {
			t.Errorf("message %d holds other places than the table", i)
		}
		if n := records.Len(); n > 2 {
			part, err := out[i].Parts.Part(1, n-1)
			if err != nil {
				t.Fatal(err)
			}
			if want, _ := emit.EncodeMessage(want.Slice(1, n-1)); !bytes.Equal(part, want) {
				t.Errorf("a part of message %d holds other places than the table", i)
			}
		}
	}
	return out
}

// odd is a placer that rejects rows whose first value is at least one million.
type odd struct{ models.Placer }

func (o odd) Place(ctx context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	for i := range x.Rows {
		if x.Row(i)[0] >= 1e6 {
			return models.Placed{}, &models.RowError{Row: i, Value: float64(x.Row(i)[0])}
		}
	}
	return o.Placer.Place(ctx, x)
}

// The error of a row that cannot be placed names its source, and no other message fails with it.
func TestBadRowsAreNamed(t *testing.T) {
	s, rng := learnt(t), rand.New(rand.NewPCG(3, 3))
	open := func(s *snapshot.Snapshot) (models.Placer, error) {
		p, err := fit.Open(s, placing.Options{})
		return odd{p}, err
	}
	m := opened(t, s, Settings{Open: open})
	bad := func(row int) *table.Table {
		records := sample(t, rng, 5)
		b, err := m.Encoder().Encode(records)
		if err != nil {
			t.Fatal(err)
		}
		b.X.Row(row)[0] = 1e6
		id, _ := records.Column("event")
		class, _ := records.Column("class")
		records, err = table.NewTable(table.Origin{}, id, class, table.VectorColumn("v", b.X))
		if err != nil {
			t.Fatal(err)
		}
		return records
	}
	good := sample(t, rng, 4)
	in := []stream.Events{events(t, good, 0), events(t, bad(2), 1), events(t, sample(t, rng, 3), 2), events(t, bad(0), 3)}
	out, err := m.Place(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "topic t, partition 0, offset 1: row 3:", "", "topic t, partition 0, offset 3: row 1:"} {
		var said *stream.MessageError
		switch err := out[i].Err; {
		case want == "" && (err != nil || len(out[i].Value) == 0):
			t.Errorf("message %d: %v", i, err)
		case want != "" && (!errors.As(err, &said) || !strings.HasPrefix(err.Error(), want)):
			t.Errorf("message %d: %v, want %s", i, err, want)
		}
	}
	alone, err := m.Place(t.Context(), []stream.Events{events(t, good, 0)})
	if err != nil || !bytes.Equal(alone[0].Value, out[0].Value) {
		t.Errorf("beside bad messages one has other places than alone: %v", err)
	}
	var e *table.Error
	if _, err := m.Table(t.Context(), bad(1)); !errors.As(err, &e) || e.Row != 1 {
		t.Errorf("a table: %v", err)
	}
}

// Columns pass through as in the settings, otherwise as the map was learnt, and for files as far as
// they exist.
func TestColumnsThatPass(t *testing.T) {
	s := learnt(t)
	plain := *s
	plain.Encoder = nil
	records := sample(t, rand.New(rand.NewPCG(4, 4)), 3)
	v, _ := records.Column("v")
	bare, err := table.NewTable(table.Origin{}, v)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		s    *snapshot.Snapshot
		set  Settings
		in   *table.Table
		id   string
		kept []string
		want string
	}{
		"as the map":           {s: s, set: Settings{Files: true}, in: records, id: "event", kept: []string{"class"}},
		"as far as there":      {s: s, set: Settings{Files: true}, in: bare},
		"as named":             {s: s, set: Settings{Files: true, Mapping: ingest.Mapping{Selection: ingest.Selection{ID: "class"}}}, in: records, id: "class"},
		"any vector":           {s: &plain, set: Settings{Files: true}, in: records},
		"no encoder":           {s: &plain, set: Settings{}, want: "how events become vectors"},
		"no label for classes": {s: s, set: Settings{Classes: ClassesAlways}, in: records, want: "name the column that holds labels"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.set.Check()
			if err == nil {
				var m *Map
				if m, err = Open(c.s, c.set); err == nil {
					if m, err = m.For(c.in.Schema(), "in"); err == nil {
						pick := m.Encoder().Selection()
						if pick.ID != c.id || !reflect.DeepEqual(pick.Keep, c.kept) {
							t.Errorf("%+v pass", pick)
						}
						_, err = m.Table(t.Context(), c.in)
					}
				}
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// Class columns that are always written are empty until a map can predict classes.
func TestClassesBeforeAnyLabel(t *testing.T) {
	m := opened(t, learnt(t), Settings{Classes: ClassesAlways})
	out, err := m.Table(t.Context(), sample(t, rand.New(rand.NewPCG(5, 5)), 3))
	if err != nil || !reflect.DeepEqual(out.Class, make([]string, 3)) || len(out.Probability) != 3 || !math.IsNaN(float64(out.Probability[2])) {
		t.Errorf("%v %v, %v", out.Class, out.Probability, err)
	}
}
