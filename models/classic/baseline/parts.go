package baseline

import (
	"context"
	"fmt"
	"slices"

	"unfold/internal/vec"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// PlaceAll returns the positions of the rows of x and their variances.
func (t *scaled) PlaceAll(ctx context.Context, x vec.Matrix[float32], progress func(done, total int)) (mu vec.Matrix[float64], sigma2 []float64, err error) {
	return t.points().All(ctx, x, progress)
}

// Place returns the positions and variances of the rows of z, which were not learnt.
func (t *scaled) Place(ctx context.Context, z vec.Matrix[float32]) (mu vec.Matrix[float64], sigma2 []float64, err error) {
	return t.points().Others(ctx, t.rows, z, nil)
}

// Parts returns a sample and its units (placing.Parts), and
//
//	places   float64, m x d   those of the sample, where it was learnt
//	landmarks uint32, l       with isomap: those of the sample that paths lead from
//	paths    float32, m x l   with isomap: lengths of paths, in units
//	values   float64, d       with eigenmaps: eigenvalues of (6)
//	width    float64, 1       with kpca: that of the kernel
//	ranks    float64, r x 3   with nmds: ends and values of the intervals of the monotone function
//	stress   float64, 1       with nmds: Kruskal's stress-1
func (t *scaled) Parts() []snapshot.Part {
	parts := append(placing.Parts(t.learnt, t.units), snapshot.Part{Name: "places", Rows: t.x.Rows, Cols: t.x.Cols, Data: t.x.Data})
	switch t.method {
	case Isomap:
		parts = append(parts, t.pathParts()...)
	case Eigenmaps:
		parts = append(parts, snapshot.Part{Name: "values", Rows: len(t.values), Cols: 1, Data: t.values})
	case KernelPCA:
		parts = append(parts, snapshot.Part{Name: "width", Rows: 1, Cols: 1, Data: []float64{t.width}})
	case NonMetric:
		parts = append(parts,
			snapshot.Part{Name: "ranks", Rows: t.rank.Rows, Cols: t.rank.Cols, Data: t.rank.Data},
			snapshot.Part{Name: "stress", Rows: 1, Cols: 1, Data: []float64{t.stress}})
	}
	return parts
}

// readScaled reads a scaled model from its snapshot.
func readScaled(s *snapshot.Snapshot, threads int) (*scaled, error) {
	learnt, u, err := placing.Read(s)
	if err != nil {
		return nil, err
	}
	m, d := len(learnt), s.Mu.Cols
	places, err := snapshot.PartOf[float64](s, "places", m, d)
	if err != nil {
		return nil, err
	}
	x := vec.Take(s.Reference, learnt)
	t := &scaled{
		method: Method(s.Kind), learnt: learnt, units: u, k: min(s.Neighbors, m-1), threads: threads,
		y: u.All(x), x: vec.Of(m, d, slices.Clone(places)),
	}
	if err := t.readOwn(s); err != nil {
		return nil, err
	}
	t.choose()
	at := t.x
	if t.marks != nil {
		at = vec.Take(t.x, t.marks)
	}
	t.prepare(at)
	if t.method != Eigenmaps {
		return t, nil
	}
	near, err := t.neighbors(context.Background(), x)
	if err != nil {
		return nil, err
	}
	t.settle(near)
	return t, nil
}

// readOwn reads the parts that only some methods have.
func (t *scaled) readOwn(s *snapshot.Snapshot) (err error) {
	switch t.method {
	case Isomap:
		if err := t.readPaths(s); err != nil {
			return err
		}
	case Eigenmaps:
		if t.values, err = snapshot.PartOf[float64](s, "values", t.x.Cols, 1); err != nil {
			return err
		}
		if err := t.diffusion.check(); err != nil {
			return err
		}
	case NonMetric:
		ranks, err := snapshot.PartOf[float64](s, "ranks", 0, 3)
		if err != nil {
			return err
		}
		t.rank = monotone{vec.Of(len(ranks)/3, 3, ranks)}
		if err := t.rank.check(); err != nil {
			return err
		}
		stress, err := snapshot.PartOf[float64](s, "stress", 1, 1)
		if err != nil {
			return err
		}
		t.stress = stress[0]
	case KernelPCA:
		width, err := snapshot.PartOf[float64](s, "width", 1, 1)
		if err != nil {
			return err
		}
		if t.width = width[0]; !(t.width > 0) {
			return fmt.Errorf("the width %g has to be positive", t.width)
		}
	}
	return nil
}
