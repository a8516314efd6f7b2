package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
)

const arrowReader = "Arrow's reader"

// decodeSizes are numbers of events in a message.
var decodeSizes = []int{1000, 1}

func decodeOf(n int) string { return fmt.Sprintf("a message of %d", n) }

func decodeRow() row {
	var targets []target
	for _, n := range decodeSizes {
		targets = append(targets, target{what: decodeOf(n) + ", of Arrow's own time", value: share(arrowReader, decodeOf(n)), bound: 1.1, format: "%.2f"})
	}
	return row{
		key: "decode", title: "Decoding of messages that need not be trusted",
		about: `A message of events with 50 values (float32) and an id each becomes a table. Its bytes are checked before decoding and its values after, within bounded
memory. Arrow's own reader, of the same library, checks neither. The decoder knows the schema, as in a stream; "schema unknown" is its first message.`,
		targets: targets,
		measure: func(_ context.Context, b *bench, r *record) error {
			for _, n := range decodeSizes {
				if err := b.decode(r, n); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func (b *bench) decode(r *record, n int) error {
	m, err := emit.EncodeTable(ingesttest.Events(0, n, inputDims))
	if err != nil {
		return err
	}
	known := &arrowfmt.Decoder{}
	ways := []struct {
		who, what string
		decode    func() (int, error)
	}{
		{own, decodeOf(n), func() (int, error) { return length(known.Decode(m, table.Origin{})) }},
		{own, decodeOf(n) + ", schema unknown", func() (int, error) { return length(arrowfmt.DecodeMessage(m, table.Origin{}, arrowfmt.Limits{})) }},
	}
	if b.peers.Skip {
		r.miss("%s: peers are skipped", arrowReader)
	} else {
		ways = append(ways, struct {
			who, what string
			decode    func() (int, error)
		}{arrowReader, decodeOf(n), func() (int, error) {
			rows, err := ingesttest.ArrowDecode(m)
			return int(rows), err
		}})
	}
	for range b.size(5, 1) {
		for _, w := range ways {
			took, err := perCall(b.size(int(200*time.Millisecond), int(time.Millisecond)), func() error {
				rows, err := w.decode()
				if err == nil && rows != n {
					err = fmt.Errorf("%d rows of %d", rows, n)
				}
				return err
			})
			if err != nil {
				return fmt.Errorf("%s, %s: %w", w.who, w.what, err)
			}
			r.add(w.who, w.what, seconds, took)
		}
	}
	return nil
}

func length(t *table.Table, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	return t.Len(), nil
}

// perCall calls f for about span nanoseconds and returns the seconds per call.
func perCall(span int, f func() error) (float64, error) {
	calls := 1
	for {
		begin := time.Now()
		for range calls {
			if err := f(); err != nil {
				return 0, err
			}
		}
		took := time.Since(begin)
		if took >= time.Duration(span) {
			return took.Seconds() / float64(calls), nil
		}
		calls *= 2
		calls = min(calls, math.MaxInt32)
	}
}
