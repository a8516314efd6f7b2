package ingest

import "github.com/apache/arrow/go/v15/arrow"

// DecodeByArrow is DecodeMessage with all batches read by Arrow's reader.
func DecodeByArrow(value []byte, origin Origin, limits Limits) (t *Table, err error) {
	defer recovered(&err)
	limits = limits.filled()
	s, err := checkMessage(value, origin, limits)
	if err != nil {
		return nil, err
	}
	d, err := newIPCDecoder(&replay{s: s}, limits.Memory, false)
	if err == nil {
		t, err = d.table(origin)
	}
	if err != nil {
		return nil, ipcError(origin, err)
	}
	return t, nil
}

// ColumnOf is an array as a column.
func ColumnOf(name string, a arrow.Array) Column { return newColumn(name, a) }

// Sound is what a column becomes that passes through.
func Sound(c Column, o Origin, replace bool) (Column, error) { return soundColumn(c, o, replace) }
