package arrowfmt_test

import (
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
)

// A decimal whose scale has a magnitude of two thousand million is refused, because its conversion
// would compute that power of ten.
func TestScalesOfDecimals(t *testing.T) {
	for name, c := range map[string]struct {
		scale   int32
		refused bool
	}{
		"usual": {scale: 3}, "negative": {scale: -5}, "largest": {scale: 1000}, "larger": {scale: 1001, refused: true},
		"most": {scale: math.MaxInt32, refused: true}, "least": {scale: math.MinInt32, refused: true},
	} {
		kind := &arrow.Decimal128Type{Precision: 20, Scale: c.scale}
		b := array.NewDecimal128Builder(memory.NewGoAllocator(), kind)
		b.Append(decimal128.FromI64(12345))
		schema := arrow.NewSchema([]arrow.Field{{Name: "amount", Type: kind}}, nil)
		message := ingesttest.Encode(schema, []arrow.Record{array.NewRecord(schema, []arrow.Array{b.NewArray()}, 1)})
		records, err := arrowfmt.DecodeMessage(message, table.Origin{}, arrowfmt.Limits{})
		if refused := err != nil; refused != c.refused {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.refused {
			if !strings.Contains(err.Error(), "amount") || !strings.Contains(err.Error(), "not supported") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		column, _ := records.Column("amount")
		if text := column.Strings()[0]; len(text) < 5 {
			t.Errorf("%s: read as %q", name, text)
		}
	}
}
