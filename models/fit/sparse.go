package fit

import (
	"context"
	"errors"
	"time"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/pca"
	"unfold/models/projection"
	"unfold/models/snapshot"
	"unfold/sparse"
	"unfold/sparse/distance"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// DefaultTruncated is the default number of components of sparse rows, if there are as many. Texts
// need some hundred (Deerwester et al. 1990, sec. 4).
const DefaultTruncated = 100

// Truncated describes the projection of sparse rows onto components.
type Truncated struct {
	// Entries is the number of nonzero values of all rows.
	Entries int `json:"entries"`
	// Components is the number of components. Share is the share of the rows' squared norm that
	// they preserve.
	Components int     `json:"components"`
	Share      float64 `json:"share"`
	// Recall is the share of nearest rows in the components that are among the exact neighbours of
	// the sparse rows, for a sample. It is nil for kinds that search themselves.
	Recall *float64 `json:"recall,omitempty"`
}

// ForSparse sets the default number of components for rows of a sparse matrix.
func (s Spec) ForSparse(rows, dim int) (Spec, error) {
	switch s.PCA {
	case PCANone:
		return s, models.BadInputf("pca is none, but sparse rows are learnt in components: give their number, or leave it to auto (%d)", DefaultTruncated)
	case PCAAuto:
		s.PCA = max(1, min(DefaultTruncated, rows, dim))
	}
	return s.Resolve(dim)
}

// SearchLists returns the number of neighbours per row that a fit of n rows lists. s must be
// resolved.
func (s Spec) SearchLists(n int) int {
	lists := max(s.Latent().Outline(n).Neighbors, s.NoveltyK, s.Lists)
	if s.Kind == LVM && s.LVM.Tails == lvm.Student {
		own := s.Latent().ForStudent()
		own.Lists = lists
		lists = own.SearchLists(n)
	}
	return max(1, min(lists, n-1))
}

// Sparse is Fit for the rows of a sparse matrix, which are never filled: neighbours are searched
// for exactly among them (knn.Sparse), unless they are given or the kind searches itself, and
// the rest is as for their projection onto the components of a truncated SVD (pca.Truncated),
// by which events are placed, too. The entries of a must be those of a valid CSR, none of them
// 0. Errors that lie in the data match models.ErrBadInput.
func Sparse(ctx context.Context, a *sparse.Rows, spec Spec, progress models.Progress) (*snapshot.Snapshot, *Result, error) {
	spec, err := spec.ForSparse(a.N(), a.M())
	if err != nil {
		return nil, nil, err
	}
	p, err := prepare(a.N(), a.M(), spec, progress)
	if err != nil {
		return nil, nil, err
	}
	if err := checkSparse(a); err != nil {
		return nil, nil, err
	}
	if d := p.spec.Distance; d != distance.Euclidean {
		return nil, nil, models.BadInputf("sparse rows have Euclidean distances, not the metric %v: give them in full", d)
	}
	given := p.spec.Given != nil
	searched, err := p.searchSparse(ctx, a)
	if err != nil {
		return nil, nil, err
	}
	project, z, err := p.truncate(ctx, a)
	if err != nil {
		return nil, nil, err
	}
	s, err := p.run(ctx, project, z)
	var short *knn.GivenError
	if errors.As(err, &short) && !given {
		return nil, nil, models.BadInputf("row %d and all its neighbours but %d are one point in %d components: take more of them (pca)", short.Row, short.Have, p.spec.PCA)
	}
	if err != nil {
		return nil, nil, err
	}
	p.out.Report.Seconds.KNN += searched
	if p.kind.Given {
		search := &p.out.Report.Search
		p.out.Truncated.Recall = new(float64)
		*p.out.Truncated.Recall = search.Recall
		if !given {
			*search = auto.Report{Method: auto.Exact, Recall: 1}
		}
	}
	return s, p.out, nil
}

// checkSparse returns a *models.RowError for a value that is not finite.
func checkSparse(a *sparse.Rows) error {
	for i := range a.N() {
		index, data := a.Row(i)
		for p, v := range data {
			if v-v != 0 {
				return &models.RowError{Row: i, Column: index[p], Value: v}
			}
		}
	}
	return nil
}

// searchSparse has the neighbours of sparse rows given, if they are to be searched for, and
// returns the seconds that this took.
func (p *pipeline) searchSparse(ctx context.Context, a *sparse.Rows) (seconds float64, err error) {
	clock := time.Now()
	if !p.kind.Given || p.spec.Given != nil {
		return 0, nil
	}
	unique, of, _ := graph.CollapseSparse(a)
	if len(unique) < 2 {
		return 0, nil // too few points: learning will return the error
	}
	distinct := a
	if len(unique) < a.N() {
		distinct = a.Take(unique)
	}
	nb, err := knn.Sparse(ctx, distinct, p.spec.SearchLists(len(unique)), knn.Settings{
		Threads: p.spec.Threads, Progress: func(done, total int) { p.progress("knn", done, total) },
	})
	if err != nil {
		return 0, err
	}
	g := &knn.Given{N: a.N(), K: nb.K, Index: make([]int32, 0, a.N()*nb.K)}
	for _, class := range of {
		near, _ := nb.Row(int(class))
		for _, j := range near {
			g.Index = append(g.Index, unique[j])
		}
	}
	p.spec.Given = g
	return time.Since(clock).Seconds(), nil
}

// truncate projects sparse rows.
func (p *pipeline) truncate(ctx context.Context, a *sparse.Rows) (*projection.Projection, vec.Matrix[float32], error) {
	clock := time.Now()
	p.progress("pca", 0, 1)
	project, found, err := projection.Truncated(ctx, a, p.spec.PCA, pca.Settings{Threads: p.spec.Threads, Seed: p.spec.Seed})
	if err != nil {
		return nil, vec.Matrix[float32]{}, err
	}
	z := project.ApplySparse(a, p.spec.Threads)
	if err := models.CheckRows(z, nil); err != nil {
		return nil, z, models.BadInputf("after projection onto components: %w; scale the values", err)
	}
	t := &Truncated{Entries: a.NNZ(), Components: p.spec.PCA}
	if found.Total > 0 {
		for _, v := range found.Variance {
			t.Share += v / found.Total
		}
	}
	p.out.PCA, p.out.Truncated = found, t
	p.out.SecondsPCA = time.Since(clock).Seconds()
	p.progress("pca", 1, 1)
	return project, z, nil
}
