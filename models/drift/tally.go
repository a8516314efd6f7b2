package drift

// tally has the counts of one graph and of its part inside each cluster. They are updated as edges
// of weight 1 between slots are added and removed.
type tally struct {
	all      Counts
	strength []int32 // s of (D1), by slot
	// each has, for each cluster, the counts of the edges with both ends in it; inner has the
	// strengths of the points in these edges.
	each  []Counts
	inner []int32
}

// resize allocates the counts of slots below top and clusters below n.
func (t *tally) resize(top, n int) {
	for len(t.strength) < top {
		t.strength, t.inner = append(t.strength, 0), append(t.inner, 0)
	}
	for len(t.each) < n {
		t.each = append(t.each, Counts{})
	}
}

// point adds a point of one sample, in a cluster or in none (-1), or removes it.
func (t *tally) point(sign int, newest bool, cluster int32) {
	add := func(c *Counts) {
		if newest {
			c.Newest += sign
		} else {
			c.Reference += sign
		}
	}
	add(&t.all)
	if cluster >= 0 {
		add(&t.each[cluster])
	}
}

// edge adds a weight of 1 between two slots, or removes it. was is their weight without this edge.
func (t *tally) edge(sign, was int64, i, j int32, newest [2]bool, cluster int32) {
	t.all.edge(sign, was, [2]*int32{&t.strength[i], &t.strength[j]}, newest)
	if cluster >= 0 {
		t.each[cluster].edge(sign, was, [2]*int32{&t.inner[i], &t.inner[j]}, newest)
	}
}
