package drift

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"unfold/internal/vec"
	"unfold/models"
)

// Rows are rows of a distribution. Count has the number of events that each row stands for (nil: 1
// each). Cluster has the cluster of each row, negative for none. If Cluster is nil, reference rows
// have no cluster, and an event gets the cluster of the nearest row of the reference sample.
type Rows struct {
	X       vec.Matrix[float32]
	Count   []uint32
	Cluster []int32
}

// mostClusters bounds labels, because memory grows with the largest label.
const mostClusters = 1 << 20

// check returns an error if the rows cannot be used.
func (r Rows) check() error {
	if r.Count != nil && len(r.Count) != r.X.Rows || r.Cluster != nil && len(r.Cluster) != r.X.Rows {
		return fmt.Errorf("drift: %d counts and %d clusters for %d rows", len(r.Count), len(r.Cluster), r.X.Rows)
	}
	for i, c := range r.Cluster {
		if int(c) >= mostClusters {
			return models.BadInputf("drift: row %d is in cluster %d; there are at most %d", i, c, mostClusters)
		}
	}
	return models.CheckRows(r.X, nil)
}

// sought marks an event whose cluster has not been determined yet.
const sought = -2

// sample are rows with their clusters, -1 for none.
type sample struct {
	x       vec.Matrix[float32]
	cluster []int32
}

// add appends rows first..last (excluded). Rows without a given cluster get the cluster unknown.
func (s *sample) add(from Rows, first, last int, unknown int32) {
	s.x.Rows, s.x.Cols, s.x.Data = s.x.Rows+last-first, from.X.Cols, append(s.x.Data, from.X.Slice(first, last).Data...)
	for i := first; i < last; i++ {
		c := unknown
		if from.Cluster != nil {
			c = max(-1, from.Cluster[i])
		}
		s.cluster = append(s.cluster, c)
	}
}

// cut removes and returns the first n rows.
func (s *sample) cut(n int) sample {
	first := sample{s.x.Slice(0, n).Clone(), slices.Clone(s.cluster[:n])}
	s.x.Data = slices.Delete(s.x.Data, 0, n*s.x.Cols)
	s.cluster = slices.Delete(s.cluster, 0, n)
	s.x.Rows -= n
	return first
}

// draw draws n of the events that the rows stand for, without replacement, or all if there are
// fewer (Floyd's algorithm; Bentley and Floyd, "A sample of brilliance", CACM 1987).
func draw(from Rows, n int, random *rand.Rand) (s sample) {
	end := make([]uint64, from.X.Rows) // of the events of each row
	var all uint64
	for i := range end {
		if from.Count == nil {
			all++
		} else {
			all += uint64(from.Count[i])
		}
		end[i] = all
	}
	least := all - min(all, uint64(n))
	drawn := make(map[uint64]bool, n)
	for last := least; last < all; last++ {
		if e := random.Uint64N(last + 1); !drawn[e] {
			drawn[e] = true
		} else {
			drawn[last] = true
		}
	}
	events := make([]uint64, 0, len(drawn))
	for e := range drawn {
		events = append(events, e)
	}
	slices.Sort(events)
	row := 0
	for _, e := range events {
		for e >= end[row] {
			row++
		}
		s.add(from, row, row+1, -1)
	}
	return s
}
