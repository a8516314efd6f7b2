package nndescent

// work is the scratch memory of one task.
type work struct {
	fresh, merged []uint64
	// rows are those to be measured, d their distances.
	rows []int32
	d    []float32
	// seen has a bit for every row that was met, marked lists them.
	seen   []uint64
	marked []int32
	exact  []float64
	ranked []found
}

// fit makes room for marks of n rows.
func (w *work) fit(n int) {
	if words := (n + 63) / 64; len(w.seen) < words {
		w.seen = make([]uint64, words)
	}
}

func (w *work) bytes() int64 {
	return int64(8*(cap(w.fresh)+cap(w.merged)+cap(w.seen)+cap(w.exact)) + 4*(cap(w.rows)+cap(w.d)+cap(w.marked)) + 16*cap(w.ranked))
}
