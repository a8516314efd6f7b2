package ingest_test

import (
	"encoding/base64"
	"testing"

	"unfold/ingest"
)

// A container file whose blocks fastavro compressed by bzip2: {"a": 1.5, "b": 2} and {"a": -3.25, "b": 7}.
const avroBzip2 = `T2JqAQQUYXZyby5jb2RlYwpiemlwMhZhdnJvLnNjaGVtYdYBeyJ0eXBlIjogInJlY29yZCIsICJuYW1lIjogInIiLCAiZmllbGRzIjogW3sibmFtZSI6ICJhIiwgInR5cGUiOiAiZG91YmxlIn0sIHsibmFtZSI6ICJiIiwgInR5cGUiOiAibG9uZyJ9XX0AMDEyMzQ1Njc4OWFiY2RlZgRmQlpoOTFBWSZTWS/i4UMAAADIBNQRAADAAABAIAAhKNNGhDAhNAa+kzxdyRThQkC/i4UMMDEyMzQ1Njc4OWFiY2RlZg==`

func TestAvroOfBzip2(t *testing.T) {
	raw, err := base64.StdEncoding.DecodeString(avroBzip2)
	if err != nil {
		t.Fatal(err)
	}
	records := readTable(t, tempFile(t, "x.avro", raw), ingest.Options{})
	a, ok := records.Column("a")
	if !ok || records.Len() != 2 || a.Text(0) != "1.5" || a.Text(1) != "-3.25" {
		t.Errorf("%d rows, %v", records.Len(), records.Schema())
	}
}
