package arrowfmt

import (
	"unfold/ingest/arrays"
	"unfold/ingest/table"
)

// DecodeByArrow is DecodeMessage with Arrow's reader for all batches.
func DecodeByArrow(value []byte, origin table.Origin, limits Limits) (t *table.Table, err error) {
	defer arrays.Recovered(&err)
	limits = limits.filled()
	s, err := checkMessage(value, origin, limits, nil)
	if err != nil {
		return nil, err
	}
	d, err := newBatchDecoder(&replay{s: s}, limits.Memory, false)
	if err == nil {
		t, err = d.table(origin)
	}
	if err != nil {
		return nil, explain(origin, err)
	}
	return t, nil
}
