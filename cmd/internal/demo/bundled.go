package demo

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/stream"
	"unfold/testdata/kdd"
)

// perConnections is the number of connections in one message.
const perConnections = 20

// connectionColumns is the configuration of their columns. Numbers are logarithms, so that a
// gigabyte does not dominate everything else; words are unchanged.
const connectionColumns = `  columns: ["*", -record, protocol_type, service, flag]
  log1p: true
  id: record
  label: label
  keep: [category]
`

// Connections is the bundled stream: the network connections of KDD Cup 1999, in the order of their
// file, which is written to the folder.
func Connections(ctx context.Context, folder string) (*Stream, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	s := &Stream{
		Topic: "connections", From: "KDD Cup 1999", Event: "network connection", By: "attack", Rate: 1800,
		title: "Network connections on the map that unfold learnt from their stream", alike: "41 features",
		normal: "normal", data: filepath.Join(folder, DataFile),
		contentType: stream.ContentType, columns: connectionColumns, min: 1000, size: 8000, every: 6 * time.Second,
	}
	if err := os.WriteFile(s.data, kdd.CSVGz, 0o644); err != nil {
		return nil, err
	}
	r, err := ingest.Open(ctx, s.data, ingest.Options{BatchRows: 100 * perConnections})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for t, err := range table.All(ctx, r) {
		if err != nil {
			return nil, err
		}
		for from := 0; from < t.Len(); from += perConnections {
			if err := s.appendConnections(t.Slice(from, min(from+perConnections, t.Len()))); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

func (s *Stream) appendConnections(t *table.Table) error {
	m, err := emit.EncodeTable(t)
	if err != nil {
		return err
	}
	s.messages = append(s.messages, m)
	s.Events += t.Len()
	if s.broken != nil {
		return nil
	}
	// The broken messages are one that is not Arrow, one that is truncated, and one with missing
	// columns.
	short, err := table.NewTable(t.Origin, t.Columns()[:3]...)
	if err != nil {
		return err
	}
	lacking, err := emit.EncodeTable(short)
	s.broken = [][]byte{[]byte(`{"src_bytes": 181}`), m[:len(m)/2], lacking}
	return err
}
