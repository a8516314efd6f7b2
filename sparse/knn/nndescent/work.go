package nndescent

// work is the scratch memory of one task.
type work struct {
	fresh, merged []uint64
	// rows are the rows to compare, d their distances.
	rows []int32
	d    []float32
	// seen has a bit for every visited row, marked lists these rows.
	seen   []uint64
	marked []int32
	exact  []float64
	ranked []found
}

// fit allocates marks for n rows.
func (w *work) fit(n int) {
	if words := (n + 63) / 64; len(w.seen) < words {
		w.seen = make([]uint64, words)
	}
}

func (w *work) bytes() int64 {
	return int64(8*(cap(w.fresh)+cap(w.merged)+cap(w.seen)+cap(w.exact)) + 4*(cap(w.rows)+cap(w.d)+cap(w.marked)) + 16*cap(w.ranked))
}
