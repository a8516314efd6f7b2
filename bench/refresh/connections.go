package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	text "encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"unfold/ingest"
	"unfold/ingest/csv"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/testdata/kdd"
)

// connections are those of KDD Cup 1999 in the order of the file. Most are exact duplicates, so
// events are stored as row indices of the distinct vectors.
type connections struct {
	x     vec.Matrix[float32] // distinct vectors in the order of their first occurrence
	at    map[string]int32    // rows of x by their bytes
	event []int32             // rows of x
	class []int32             // of every event, in names
	names []string
}

const labelColumn = "label"

// mapping is the demo's: logarithms of numbers, and text unchanged.
func mapping() ingest.Mapping {
	m := ingest.Mapping{Log1p: true, Selection: ingest.Selection{Label: labelColumn}}
	for _, name := range []string{"*", "protocol_type", "service", "flag"} {
		m.Columns = append(m.Columns, ingest.ColumnSpec{Name: name})
	}
	return m
}

// readConnections reads the file below dir or, if dir is empty, the first few bundled ones. The
// encoder is learnt from the first ones alone, as in a stream.
func readConnections(ctx context.Context, dir string, first, few int) (*connections, error) {
	path, opts := filepath.Join(dir, "kddcup99", "kddcup.data_10_percent.gz"), ingest.Options{BatchRows: first}
	m := mapping()
	if dir == "" {
		folder, err := os.MkdirTemp("", "refresh")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
		path = filepath.Join(folder, "kdd.csv.gz")
		if err := os.WriteFile(path, kdd.CSVGz, 0o666); err != nil {
			return nil, err
		}
		m.Columns = append(m.Columns, ingest.ColumnSpec{Name: "-record"})
		m.Keep = []string{"category"}
	} else {
		names, err := columnNames()
		if err != nil {
			return nil, err
		}
		opts.CSV = csv.Options{Header: csv.HeaderNo, Names: names, Comma: ','}
		few = math.MaxInt
	}
	r, err := ingest.Open(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	c := &connections{at: map[string]int32{}}
	class := map[string]int32{}
	var encoder *ingest.Encoder
	for len(c.event) < few {
		t, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if encoder == nil {
			if encoder, err = encoderOf(m, t); err != nil {
				return nil, err
			}
			c.x.Cols = encoder.Dim()
		}
		b, err := encoder.Encode(t.Slice(0, min(t.Len(), few-len(c.event))))
		if err != nil {
			return nil, err
		}
		for i, label := range b.Label {
			label = strings.TrimSuffix(label, ".")
			k, there := class[label]
			if !there {
				k = int32(len(c.names))
				class[label], c.names = k, append(c.names, label)
			}
			c.add(b.X.Row(i), k)
		}
	}
	return c, nil
}

// columnNames returns the names for the original file, which has no header: the bundled file's
// without the record's number and the category.
func columnNames() ([]string, error) {
	z, err := gzip.NewReader(bytes.NewReader(kdd.CSVGz))
	if err != nil {
		return nil, err
	}
	names, err := text.NewReader(z).Read()
	if err != nil || len(names) < 3 {
		return nil, fmt.Errorf("the bundled connections have no header: %w", err)
	}
	return names[1 : len(names)-1], nil
}

func encoderOf(m ingest.Mapping, t *table.Table) (*ingest.Encoder, error) {
	f, err := ingest.NewFitter(m, t.Schema())
	if err != nil {
		return nil, err
	}
	if err := f.Add(t); err != nil {
		return nil, err
	}
	return f.Encoder()
}

func (c *connections) add(x []float32, class int32) {
	key := keyOf(x)
	row, there := c.at[key]
	if !there {
		row = int32(len(c.at))
		c.at[key] = row
		c.x.Data = append(c.x.Data, x...)
		c.x.Rows++
	}
	c.event, c.class = append(c.event, row), append(c.class, class)
}

// row returns the row index of a vector, which must be one of the connections.
func (c *connections) row(x []float32) int32 { return c.at[keyOf(x)] }

func keyOf(x []float32) string {
	key := make([]byte, 0, 4*len(x))
	for _, v := range x {
		key = binary.LittleEndian.AppendUint32(key, math.Float32bits(v))
	}
	return string(key)
}
