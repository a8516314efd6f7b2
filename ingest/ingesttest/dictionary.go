package ingesttest

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/table"
)

// Dictionary returns a dictionary-encoded column of words; the empty word is null.
func Dictionary(t testing.TB, name string, words []string) table.Column {
	t.Helper()
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: name, Type: dt, Nullable: true}}, nil)
	rb := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	column := rb.Field(0).(*array.BinaryDictionaryBuilder)
	for _, w := range words {
		if w == "" {
			column.AppendNull()
		} else if err := column.AppendString(w); err != nil {
			t.Fatal(err)
		}
	}
	records, err := arrowfmt.DecodeMessage(Encode(schema, []arrow.Record{rb.NewRecord()}), table.Origin{}, arrowfmt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := records.Column(name)
	return c
}
