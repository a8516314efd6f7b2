package baseline

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/par"
	"unfold/internal/simd/minplus"
	"unfold/internal/vec"
	"unfold/models/pca"
	"unfold/models/placing"
	"unfold/models/snapshot"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// walk draws landmarks among the rows of x and computes the lengths of the shortest paths from
// them, in units. It returns the squares of the lengths between landmarks.
func (t *scaled) walk(ctx context.Context, x vec.Matrix[float32], near *knn.Neighbors, s Settings) (squares vec.Matrix[float64], err error) {
	edges, err := graph.Connected(ctx, x, near, s.Threads)
	if err != nil {
		return squares, err
	}
	t.marks = placing.Sample(x.Rows, s.Points, s.Seed)
	m := len(t.marks)
	squares, t.paths = vec.New[float64](m, m), vec.New[float32](x.Rows, m)
	err = graph.NewPaths(x.Rows, edges).FromEach(ctx, t.marks, s.Threads, func(j int, lengths []float64) {
		vec.Scale(t.units.Scale, lengths)
		for i, l := range lengths {
			t.paths.Data[i*m+j] = float32(l)
		}
		for i, at := range t.marks {
			squares.Row(j)[i] = lengths[at] * lengths[at]
		}
	})
	return squares, err
}

// scaling returns the positions (1) for squared dissimilarities, which it overwrites.
func scaling(ctx context.Context, squares vec.Matrix[float64], s Settings) (vec.Matrix[float64], error) {
	places, err := pca.Scaling(ctx, squares, s.Dims, pca.Settings{Threads: s.Threads, Seed: s.Seed})
	if err != nil {
		return places, fmt.Errorf("scaling: %w", err)
	}
	return trimmed(places), nil
}

// extend sets the positions of all learnt points: at for landmarks, and (2) for the others.
func (t *scaled) extend(ctx context.Context, at vec.Matrix[float64]) error {
	isMark := make([]bool, t.y.Rows)
	for j, i := range t.marks {
		isMark[i] = true
		copy(t.x.Row(int(i)), at.Row(j))
	}
	const piece = 64
	par.Ranges(t.threads, t.y.Rows, piece, func(_, from, to int) {
		a := make([]float64, len(t.marks))
		for i := from; i < to && ctx.Err() == nil; i++ {
			if !isMark[i] {
				t.ways(a, t.y.Row(i), []int32{int32(i)})
				t.triangulate(t.x.Row(i), a)
			}
		}
	})
	return ctx.Err()
}

// triangulate adds to mu (d) the position (2) of a point with dissimilarities (or similarities) a.
func (t *scaled) triangulate(mu, a []float64) {
	scale := -0.5 * t.unit
	if t.like != nil {
		scale *= similarity
	}
	if len(mu) != 2 {
		for j, v := range a {
			vec.Axpy(scale*(v-t.mean[j]), t.vectors.Row(j), mu)
		}
		return
	}
	// For a plane, the sums over even and odd j are kept in registers.
	var even, odd [2]float64
	mean, vectors := t.mean[:len(a)], t.vectors.Data[:2*len(a)]
	j := 0
	for ; j+1 < len(a); j += 2 {
		v := (*[4]float64)(vectors[2*j:])
		w0, w1 := a[j]-mean[j], a[j+1]-mean[j+1]
		even[0], even[1] = even[0]+float64(w0*v[0]), even[1]+float64(w0*v[1])
		odd[0], odd[1] = odd[0]+float64(w1*v[2]), odd[1]+float64(w1*v[3])
	}
	if j < len(a) {
		w := a[j] - mean[j]
		even[0], even[1] = even[0]+float64(w*vectors[2*j]), even[1]+float64(w*vectors[2*j+1])
	}
	mu[0], mu[1] = mu[0]+float64(scale*(even[0]+odd[0])), mu[1]+float64(scale*(even[1]+odd[1]))
}

// ways sets a (m) to Isomap's dissimilarities between a vector y and the landmarks, from the path
// lengths of its nearest learnt vectors, near:
//
//	delta_j = min_i (|y - y_i| + paths_ij),  i among the nearest
//
// With first, the smallest |y - y_i|, and e_j = delta_j - first, it is a_j = 2 first e_j + e_j^2,
// without first^2. (2) does not depend on that constant, and omitting it preserves digits for
// vectors far away.
func (t *scaled) ways(a, y []float64, near []int32) {
	var room [32]float64
	lengths, first := room[:0], math.Inf(1)
	for _, i := range near {
		lengths = append(lengths, math.Sqrt(vec.SquaredDistance(y, t.y.Row(int(i)))))
		first = min(first, lengths[len(lengths)-1])
	}
	var sums [stretch]float32
	for from := 0; from < len(a); from += stretch {
		to := min(from+stretch, len(a))
		least := sums[:to-from]
		for j := range least {
			least[j] = float32(math.Inf(1))
		}
		for k, i := range near {
			minplus.Take(least, float32(lengths[k]-first), t.paths.Row(int(i))[from:to])
		}
		for j, e := range least {
			a[from+j] = float64(e) * (2*first + float64(e))
		}
	}
}

// stretch is the number of landmarks that are processed together.
const stretch = 256

// pathParts returns the landmarks and path lengths as parts of a model file.
func (t *scaled) pathParts() []snapshot.Part {
	return []snapshot.Part{
		placing.Numbers("landmarks", t.marks),
		{Name: "paths", Rows: t.paths.Rows, Cols: t.paths.Cols, Data: t.paths.Data},
	}
}

// readPaths decodes the landmarks and path lengths. Files without landmarks come from earlier
// versions, which learnt a sample alone and used paths between all of it in double precision.
func (t *scaled) readPaths(s *snapshot.Snapshot) (err error) {
	n := len(t.learnt)
	if _, has := s.Part("landmarks"); !has {
		t.marks = placing.Sample(n, n, 0)
		paths, err := snapshot.PartOf[float64](s, "paths", n, n)
		if err == nil {
			t.paths = vec.Convert[float32](vec.Of(n, n, paths))
		}
		return err
	}
	if t.marks, err = placing.ReadNumbers(s, "landmarks", n); err != nil {
		return err
	}
	paths, err := snapshot.PartOf[float32](s, "paths", n, len(t.marks))
	if err == nil {
		t.paths = vec.Of(n, len(t.marks), paths)
	}
	return err
}
