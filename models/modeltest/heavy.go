package modeltest

import (
	"math/rand/v2"
	"slices"

	"unfold/internal/vec"
	"unfold/models/snapshot"
)

// Heavy turns a snapshot made by Snapshot into one with heavy tails. It has the same points and
// places, and its bandwidths are squared distances in the input.
func Heavy(s *snapshot.Snapshot) *snapshot.Snapshot {
	r := rand.New(rand.NewPCG(5, 0x4ea))
	out := *s
	n := s.Reference.Rows
	out.Sigma2, out.Bandwidth2 = make([]float64, n), make([]float64, n)
	out.Dissimilar = 0
	st := &snapshot.Student{
		Tail: float64(s.Mu.Cols) / 2, Clip: [2]float64{0.1, 10}, Weight: 0.086, Field: "all", Seed: 1, Error2: make([]float64, n),
	}
	for i, v := range s.KDist2 {
		out.Sigma2[i], out.Bandwidth2[i] = 0.1, v*(0.5+r.Float64())
		st.Unit += v / float64(n)
		st.Error2[i] = 0.01 + r.Float64()
	}
	out.Student = st
	return &out
}

// Without returns s without reference point i.
func Without(s *snapshot.Snapshot, i int) *snapshot.Snapshot {
	keep := make([]int, 0, s.Reference.Rows)
	for j := range s.Reference.Rows {
		if j != i {
			keep = append(keep, j)
		}
	}
	out := *s
	out.Reference, out.Mu, out.Count = vec.Take(s.Reference, keep), vec.Take(s.Mu, keep), s.Count[1:]
	lists := []*[]float64{&out.Sigma2, &out.Bandwidth2, &out.KDist2, &out.Density, &out.LocalScores, &out.GlobalScores}
	if s.Student != nil {
		st := *s.Student
		out.Student = &st
		lists = append(lists, &st.Error2)
	}
	for _, v := range lists {
		*v = slices.Delete(slices.Clone(*v), i, i+1)
	}
	return &out
}
