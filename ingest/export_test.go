package ingest

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
