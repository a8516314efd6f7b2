package solve

// nullSpace is the null space of a singular Lap(W) + Gamma: vectors that are constant on every
// component without Gamma, and zero elsewhere. On such a component a right-hand side has a solution
// only if it sums to zero.
type nullSpace struct {
	component []int32   // of every point, -1 for one with Gamma
	size      []float64 // points of a component
	mean      []float64 // components x columns
}

// newNullSpace returns the null space of a, nil if a is regular; bare marks the points without
// Gamma. It only visits these, until it meets a point with Gamma.
func newNullSpace(a *Laplacian, bare []bool, d int) *nullSpace {
	s := &nullSpace{component: make([]int32, a.W.N)}
	const unseen = -2
	for i, b := range bare {
		s.component[i] = -1
		if b {
			s.component[i] = unseen
		}
	}
	var list []int32
	for i := range bare {
		if s.component[i] != unseen {
			continue
		}
		free := true
		list = append(list[:0], int32(i))
		s.component[i] = int32(len(s.size))
		for k := 0; k < len(list); k++ {
			index, w := a.W.Row(int(list[k]))
			for p, j := range index {
				if w[p] > 0 {
					free = free && bare[j]
					if s.component[j] == unseen {
						s.component[j] = int32(len(s.size))
						list = append(list, j)
					}
				}
			}
		}
		if free {
			s.size = append(s.size, float64(len(list)))
			continue
		}
		for _, j := range list {
			s.component[j] = -1
		}
	}
	if len(s.size) == 0 {
		return nil
	}
	s.mean = make([]float64, d*len(s.size))
	return s
}

func (s *nullSpace) bytes() int64 {
	return 4*int64(len(s.component)) + 8*int64(len(s.size)+len(s.mean))
}

// project removes the null space from r, whose entries are stride apart, and returns the squared
// norm of the removed part; k distinguishes columns that are processed at the same time.
func (s *nullSpace) project(r []float64, stride, k int) (taken float64) {
	mean := s.mean[k*len(s.size) : (k+1)*len(s.size)]
	clear(mean)
	for i, c := range s.component {
		if c >= 0 {
			mean[c] += r[i*stride]
		}
	}
	for c, size := range s.size {
		mean[c] /= size
		taken += mean[c] * mean[c] * size
	}
	for i, c := range s.component {
		if c >= 0 {
			r[i*stride] -= mean[c]
		}
	}
	return taken
}
