package learn

import (
	"fmt"
	"math"
	"testing"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/stream"
)

// "*" in a stream skips the same columns as in a file. It logs once, when the encoding is learnt,
// that words and ids are skipped; ids continue from message to message.
func TestColumnsThatAreLeftOut(t *testing.T) {
	s := quick()
	s.Mapping = ingest.Mapping{Columns: []ingest.ColumnSpec{{Name: "*"}}}
	var left []ingest.Left
	var dominant *ingest.Dominant
	calls := 0
	s.Hooks.Encoded = func(l []ingest.Left, d *ingest.Dominant) { left, dominant, calls = l, d, calls+1 }
	l := newLearner(t, s)
	defer running(t, l)()
	const rows = 5
	for o := range int64(s.Min/rows + 1) {
		var number []int64
		var x, y, z []float64
		var city []string
		for i := range int64(rows) {
			n := o*rows + i
			number = append(number, 7000+3*n)
			x, y, z = append(x, math.Sin(float64(n))), append(y, 1000*math.Cos(2*float64(n))), append(z, math.Sin(3*float64(n)))
			city = append(city, fmt.Sprint("city", n%4))
		}
		records, err := table.NewTable(table.Origin{}, table.Int64Column("number", number), table.Float64Column("x", x), table.Float64Column("y", y), table.Float64Column("z", z), table.StringColumn("city", city))
		if err != nil {
			t.Fatal(err)
		}
		v, err := emit.EncodeTable(records)
		if err != nil {
			t.Fatal(err)
		}
		offer(t, l, stream.Message{TopicPartition: tp, Offset: o, Value: v})
	}
	waitReady(t, l)
	if got := fmt.Sprint(left); got != "[{number an id: whole numbers in steps of 3} {city text}]" || calls != 1 {
		t.Errorf("left %s, %d calls", got, calls)
	}
	if dominant == nil || dominant.Column != "y" || dominant.Share < ingest.DominantShare {
		t.Errorf("dominant %v", dominant)
	}
}
