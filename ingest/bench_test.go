package ingest_test

import (
	"testing"

	"unfold/ingest"
	"unfold/ingest/ingesttest"
)

func BenchmarkDecodeMessage(b *testing.B) {
	m, err := ingest.EncodeMessage(ingesttest.Placed(0, 100))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(m)))
	for b.Loop() {
		if _, err := ingest.DecodeMessage(m, here, ingest.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeMessage(b *testing.B) {
	o := ingesttest.Placed(0, 100)
	for b.Loop() {
		if _, err := ingest.EncodeMessage(o); err != nil {
			b.Fatal(err)
		}
	}
}
