package modeltest

import (
	"math/rand/v2"

	"unfold/models/snapshot"
)

// Heavy makes a snapshot of Snapshot's one with heavy tails: the same points and
// places, with bandwidths that are squared distances in the input.
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
