package kafka_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"unfold/ingest"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/learn"
	"unfold/stream/streamtest"
)

func TestMap(t *testing.T) { testMap(t, newFake(t)) }

// testMap runs the whole stage, from Arrow messages to places, with refreshes. It restarts from the
// state directory at random moments, before the first map and after. Every event comes out. One
// offset and one version always give the same bytes, and versions are never reused.
func testMap(t *testing.T, c *cluster) {
	in, out, dlq := topicFor(t, c, 3, nil), topicFor(t, c, 2, nil), topicFor(t, c, 1, nil)
	rng := rand.New(rand.NewPCG(3, 4))
	const each, rows, early = 60, 5, 6
	feed := func(lot int) {
		for p := range 3 {
			var batch []stream.Message
			for n := lot * each / early; n < (lot+1)*each/early; n++ {
				m := stream.Message{Key: fmt.Append(nil, n%4), Value: arrowMessage(t, rng, rows, p, n)}
				switch n {
				case 1:
					m.Value = []byte("this is not Arrow")
				case 30:
					m = stream.Message{Key: fmt.Append(nil, 1000*p+rows*2)} // a tombstone for an event of message 2
				case 50:
					m.Value = m.Value[:100]
				}
				batch = append(batch, m)
			}
			c.Produce(t, in, p, batch...)
		}
	}
	settings := learn.Settings{
		Spec: fit.Spec{Common: models.Common{Steps: 15, Seed: 1, Threads: 1}}, Min: 150, Size: 300,
		Mapping: ingest.Mapping{Selection: ingest.Selection{ID: "event", Keep: []string{"class"}}},
		State:   t.TempDir(), RefreshEvery: 10 * time.Millisecond, RefreshNew: 0.1,
	}
	life := func(ctx context.Context) error {
		learner, err := learn.New(settings)
		if err != nil {
			return err
		}
		err = c.deliver(ctx, c.quick(in, in), out, dlq, &stream.Pipeline{Decoder: learner, Learner: learner,
			Settings: stream.Settings{BatchMessages: 4, CommitEvery: 20 * time.Millisecond}})
		if ctx.Err() != nil {
			return nil // stopped, perhaps before it was connected
		}
		return err
	}
	lives := early
	for lot := range early {
		feed(lot)
		running := streamtest.Go(t, life)
		time.Sleep(time.Duration(20+rng.IntN(250)) * time.Millisecond)
		if err := running.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	for ; c.done(t, in, in) < 3*each; lives++ {
		running := streamtest.Go(t, life)
		running.Await("all positions are committed", func() bool { return c.done(t, in, in) == 3*each })
		if err := running.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	log := streamtest.Log{In: c.Read(t, in), Out: c.Read(t, out), Letters: c.Read(t, dlq)}
	count, err := log.Check()
	if err != nil {
		t.Fatal(err)
	}
	if count.Placed != 3*(each-2) || count.Letters != 6 {
		t.Errorf("%+v", count)
	}
	versions, tombstones := map[uint64]int{}, map[string]bool{}
	for _, m := range log.Out {
		p, v, _ := stream.Origin(&m)
		versions[v]++
		if m.Tombstone() {
			tombstones[string(m.Key)] = true
			continue
		}
		got, err := arrowfmt.DecodeMessage(m.Value, table.Origin{}, arrowfmt.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		id, _ := got.Column("id")
		version, _ := got.Column("model_version")
		if want := fmt.Sprint(1000*p.Partition + rows*int(p.Offset)); got.Len() != rows || id.Text(0) != want || version.Text(0) != fmt.Sprint(v) {
			t.Fatalf("the output for %v has %d rows, id %s (want %s), version %s (the header says %d)", p, got.Len(), id.Text(0), want, version.Text(0), v)
		}
	}
	if len(tombstones) != 3 {
		t.Errorf("tombstones of %v came out, want 3", tombstones)
	}
	t.Logf("%d lives, %+v, %d versions", lives, count, len(versions))
}

// arrowMessage returns a message of three classes.
func arrowMessage(t *testing.T, rng *rand.Rand, rows, p, n int) []byte {
	t.Helper()
	x := vec.New[float32](rows, 6)
	ids, class := make([]int64, rows), make([]string, rows)
	for i := range rows {
		c := rng.IntN(3)
		ids[i], class[i] = int64(1000*p+rows*n+i), fmt.Sprint("class ", c)
		for k := range x.Row(i) {
			x.Row(i)[k] = float32(rng.NormFloat64()) + 5*float32(c*(k%2))
		}
	}
	records, err := table.NewTable(table.Origin{}, table.Int64Column("event", ids), table.StringColumn("class", class), table.VectorColumn("v", x))
	if err != nil {
		t.Fatal(err)
	}
	v, err := emit.EncodeTable(records)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

var _ stream.Source = (*kafka.Source)(nil)
var _ stream.Sink = (*kafka.Sink)(nil)
