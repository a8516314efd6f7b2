package emit_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
)

// The columns of a message, their order and their types are a contract with readers.
func TestEncodeMessageColumns(t *testing.T) {
	b, err := emit.EncodeMessage(ingesttest.Output(5, 2))
	if err != nil {
		t.Fatal(err)
	}
	records, err := arrowfmt.DecodeMessage(b, ingesttest.Here(), arrowfmt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "id string, word string, num int64, embedding fixed_size_list<float32>[2], sigma float32, " +
		"novelty_local float32, novelty_global float32, map_epoch uint32, model_version uint64"
	if got := records.Schema().String(); got != want {
		t.Errorf("columns\n%s, want\n%s", got, want)
	}
	v, _ := records.Column("model_version")
	if v.Text(4) != "1099511627776" {
		t.Errorf("model_version %s", v.Text(4))
	}
	again, _ := emit.EncodeMessage(ingesttest.Output(5, 2))
	if !bytes.Equal(b, again) {
		t.Error("the same output gives other bytes")
	}
}

func TestEncodeMessageWithoutIDAndVersion(t *testing.T) {
	o := ingesttest.Output(3, 2)
	o.ID, o.Version, o.Sigma = table.Column{}, 0, nil
	b, err := emit.EncodeMessage(o)
	if err != nil {
		t.Fatal(err)
	}
	records, err := arrowfmt.DecodeMessage(b, ingesttest.Here(), arrowfmt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "id int64, word string, num int64, embedding fixed_size_list<float32>[2], novelty_local float32, novelty_global float32"
	if got := records.Schema().String(); got != want {
		t.Errorf("columns\n%s, want\n%s", got, want)
	}
	id, _ := records.Column("id")
	if id.Text(2) != "2" {
		t.Errorf("id of row 2 is %s", id.Text(2))
	}
}

func TestReservedNamesCannotBeKept(t *testing.T) {
	o := ingesttest.Output(3, 2)
	o.Kept = append(o.Kept, table.StringColumn("sigma", []string{"a", "b", "c"}))
	if _, err := emit.EncodeMessage(o); err == nil || !strings.Contains(err.Error(), `"sigma" cannot be kept`) {
		t.Errorf("error %v", err)
	}
	o.Kept = []table.Column{table.StringColumn("id", []string{"a", "b", "c"})}
	o.ID = o.Kept[0]
	if _, err := emit.EncodeMessage(o); err != nil {
		t.Errorf("the id column kept as well: %v", err)
	}
}

func BenchmarkEncodeMessage(b *testing.B) {
	for _, n := range []int{1, 100, 1000} {
		o := ingesttest.Placed(0, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := emit.EncodeMessage(o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
