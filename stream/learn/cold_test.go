package learn

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"unfold/ingest"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/stream"
	"unfold/stream/embed"
	"unfold/stream/streamtest"
)

// A batch that is formed repeatedly before the first map, with redelivered messages, neither blocks
// the cold start nor counts twice.
func TestRebalancesBeforeTheFirstMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	b := newBroker()
	s := quick()
	s.Min = 100
	l := newLearner(t, s)
	p, source, _ := pipeline(t, b, l)
	running := streamtest.Go(t, func(ctx context.Context) error { return errors.Join(p.Run(ctx), source.Close()) })
	sent := 0
	send := func() {
		b.Append("in", sent%2, message(t, rng, 5, 4, int64(sent)))
		sent++
	}
	for sent < 19 {
		send()
		time.Sleep(time.Duration(rng.IntN(3)) * time.Millisecond)
		source.Rebalance()
	}
	time.Sleep(20 * time.Millisecond)
	if l.Current() != nil || len(b.Messages("out")) > 0 || len(b.Committed("group", "in")) > 0 {
		t.Errorf("%d events of %d make a map: some counted twice, or went out before", 5*sent, s.Min)
	}
	send()
	waitReady(t, l)
	running.Await("all is committed", func() bool { return committed(b) >= int64(sent) })
	if err := running.Stop(); err != nil {
		t.Fatal(err)
	}
	if l.ref.Counts().Events != 100 || l.ref.Len() != 100 {
		t.Errorf("the reference set has %d points and has seen %d events, want 100", l.ref.Len(), l.ref.Counts().Events)
	}
	c, err := streamtest.Log{In: b.Messages("in"), Out: b.Messages("out"), Letters: b.Messages("dlq")}.Check()
	if err != nil || c.Placed != sent || c.Letters != 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

// A topic in which no two messages have the same schema cannot be learnt from. This is an error;
// the messages are not kept for ever.
func TestNoTwoAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	s := quick()
	s.Size = 60
	l := newLearner(t, s)
	done := make(chan error, 1)
	ctx, cancel := context.WithTimeout(context.Background(), streamtest.Patience)
	defer cancel()
	go func() { done <- l.Run(ctx) }()
	for o := range int64(12) {
		offer(t, l, message(t, rng, 10, 3+int(o), o))
	}
	err := <-done
	if err == nil || !strings.Contains(err.Error(), "needs 60 events with the same columns, but the 120 so far are of 12 kinds") {
		t.Errorf("error %v", err)
	}
}

// Rows that take no bytes in a message must not make the learner allocate their vectors.
func TestManyRowsInAFewBytes(t *testing.T) {
	s := quick()
	s.Mapping = ingest.Mapping{Columns: []ingest.ColumnSpec{{Name: "*"}}}
	s.Limits = arrowfmt.Limits{Memory: 4096}
	l := newLearner(t, s)
	const rows = 2000
	records, err := table.NewTable(table.Origin{}, table.BoolColumn("b", make([]bool, rows)))
	if err != nil {
		t.Fatal(err)
	}
	v, err := emit.EncodeTable(records)
	if err != nil {
		t.Fatal(err)
	}
	e := decode(t, l, stream.Message{TopicPartition: tp, Value: v})
	var me *stream.MessageError
	if err := l.Offer(context.Background(), e); !errors.As(err, &me) || me.Stage != stream.StagePlace || !strings.Contains(err.Error(), "2000 rows") {
		t.Errorf("error %v", err)
	}
}

// Files of the state are readable only by the user who runs the stage. An existing folder keeps its
// mode.
func TestStateIsPrivate(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	for _, there := range []bool{false, true} {
		s := quick()
		s.State = filepath.Join(t.TempDir(), "state")
		want := os.FileMode(0o700)
		if there {
			want = 0o755
			if err := errors.Join(os.Mkdir(s.State, want), os.Chmod(s.State, want)); err != nil {
				t.Fatal(err)
			}
		}
		_, _, stop := started(t, s, rng, 3)
		stop()
		info, err := os.Stat(s.State)
		if err != nil || info.Mode().Perm() != want {
			t.Error(fmt.Sprintf("there before: %v: %v, want %v", there, info.Mode().Perm(), want), err)
		}
	}
}

// A label is passed on without being formatted as text for every row.
func TestLabelsPassThrough(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 1))
	s := quick()
	s.Mapping.Keep, s.Mapping.Label = nil, "class"
	l, next, stop := started(t, s, rng, 3)
	defer stop()
	m := message(t, rng, 4, 3, next)
	e := decode(t, l, m)
	out, err := arrowfmt.DecodeMessage(place(t, l.Current(), e)[0].Value, table.Origin{}, arrowfmt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	in := e.(*embed.Events)
	batch, err := in.Encode(l.encoder, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := in.Table.Column("class")
	got, ok := out.Column("class")
	if !ok || fmt.Sprint(got.Strings()) != fmt.Sprint(want.Strings()) || batch.Label != nil {
		t.Errorf("labels %v, want %v; as text %v", got.Strings(), want.Strings(), batch.Label)
	}
}

func TestLeftoversAreRemoved(t *testing.T) {
	s := quick()
	s.State = t.TempDir()
	for _, name := range []string{".reference-000003.set.01234567.tmp", "." + MapFile + ".89abcdef.tmp", "reference-000007.set"} {
		if err := os.WriteFile(filepath.Join(s.State, name), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	newLearner(t, s)
	if left, err := os.ReadDir(s.State); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// Messages with other types or more fields belong together. Numbers may be integers in one message
// and floats in the next, and unused fields may be absent or null.
func TestKindsOfRecords(t *testing.T) {
	table1 := func(columns ...table.Column) *table.Table {
		records, err := table.NewTable(table.Origin{}, columns...)
		if err != nil {
			t.Fatal(err)
		}
		return records
	}
	whole, fraction := table.Int64Column("a", []int64{3}), table.Float64Column("a", []float64{2.5})
	b, more := table.Float32Column("b", []float32{1}), table.StringColumn("more", []string{"x"})
	vector := func(name string, dim int) table.Column {
		return table.VectorColumn(name, vec.New[float32](1, dim))
	}
	named := ingest.Mapping{Columns: []ingest.ColumnSpec{{Name: "a"}, {Name: "b"}}}
	all := ingest.Mapping{Columns: []ingest.ColumnSpec{{Name: "*"}}}
	for name, c := range map[string]struct {
		mapping ingest.Mapping
		tables  []*table.Table
		kinds   int
	}{
		"whole numbers and fractions":        {named, []*table.Table{table1(whole, b), table1(fraction, b)}, 1},
		"columns in another order":           {named, []*table.Table{table1(whole, b), table1(b, fraction)}, 1},
		"a column that nobody uses":          {named, []*table.Table{table1(whole, b), table1(b, more, whole)}, 1},
		"a text that * leaves out":           {all, []*table.Table{table1(whole, b), table1(whole, more, b)}, 1},
		"a number more for *":                {all, []*table.Table{table1(whole, b), table1(whole)}, 2},
		"text in place of a number":          {named, []*table.Table{table1(whole, b), table1(table.StringColumn("a", []string{"1"}), b)}, 2},
		"vectors, and something beside them": {ingest.Mapping{}, []*table.Table{table1(vector("v", 3)), table1(more, vector("v", 3))}, 1},
		"vectors of other lengths":           {ingest.Mapping{}, []*table.Table{table1(vector("v", 3)), table1(vector("v", 4))}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			cold := coldStart{mapping: c.mapping}
			for _, records := range c.tables {
				if err := cold.collect(&embed.Events{Table: records}, 1000); err != nil {
					t.Fatal(err)
				}
			}
			if len(cold.rows) != c.kinds {
				t.Errorf("%d kinds, want %d: %v", len(cold.rows), c.kinds, cold.rows)
			}
			if e, _, err := cold.encoder(); err != nil {
				t.Error(err)
			} else if c.kinds == 1 {
				for _, records := range c.tables {
					if _, err := embed.Encode(e, records, arrowfmt.Limits{}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
}
