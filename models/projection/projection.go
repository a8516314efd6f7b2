package projection

import (
	"context"
	"errors"
	"math"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/pca"
	"unfold/models/snapshot"
	"unfold/sparse"
)

// Projection maps vectors of Dim elements to the model's input.
type Projection struct {
	dim        int
	mean       []float32           // nil if vectors stay as they are
	components vec.Matrix[float32] // q x dim, orthonormal rows
	apply      *pca.Projector      // nil if vectors stay as they are
}

// None returns the identity for vectors of dim elements.
func None(dim int) *Projection { return &Projection{dim: dim} }

// onto returns the projection z = components (x - mean).
func onto(mean []float32, components vec.Matrix[float32]) *Projection {
	return &Projection{dim: components.Cols, mean: mean, components: components, apply: pca.NewProjector(mean, components)}
}

// Fit returns the projection onto the q principal components of the rows of x (n x dim), and the
// PCA. It drops trailing components whose variance is below the share least of the first one's. See
// pca.Fit for errors.
func Fit(ctx context.Context, x vec.Matrix[float32], q int, least float64, set pca.Settings) (*Projection, *pca.PCA, error) {
	p, err := pca.Fit(ctx, x, q, set)
	if err != nil {
		return nil, nil, err
	}
	if least > 0 {
		p.Trim(least)
	}
	return onto(p.Mean, p.Components), p, nil
}

// Truncated returns the projection onto q components of the rows of a sparse matrix
// (pca.Truncated). The mean is 0, so that sparse rows can be projected without filling them in.
func Truncated(ctx context.Context, a *sparse.Rows, q int, set pca.Settings) (*Projection, *pca.PCA, error) {
	p, err := pca.Truncated(ctx, a, q, set)
	if err != nil {
		return nil, nil, err
	}
	return onto(p.Mean, p.Components), p, nil
}

// ApplySparse is Apply for sparse rows, with the same bits as for dense rows. p must come from
// Truncated.
func (p *Projection) ApplySparse(a *sparse.Rows, threads int) vec.Matrix[float32] {
	return p.apply.ApplySparse(a, threads)
}

// Select removes columns, listed ascending, whose values are the same in all rows of x (n x dim).
// Undo restores them from the first row. It also returns the remaining columns.
func Select(x vec.Matrix[float32], dropped []int) (*Projection, vec.Matrix[float32]) {
	kept := x.Cols - len(dropped)
	mean, components, z := make([]float32, x.Cols), vec.New[float32](kept, x.Cols), vec.New[float32](x.Rows, kept)
	at, rest := 0, dropped
	for j := range x.Cols {
		if len(rest) > 0 && rest[0] == j {
			mean[j], rest = x.Row(0)[j], rest[1:]
			continue
		}
		components.Row(at)[j] = 1
		for i := range x.Rows {
			z.Row(i)[at] = x.Row(i)[j]
		}
		at++
	}
	return onto(mean, components), z
}

// Of returns the projection of a valid snapshot, and shares its memory.
func Of(s *snapshot.Snapshot) *Projection {
	if s.Components.Rows == 0 {
		return None(s.Dim)
	}
	return onto(s.Mean, s.Components)
}

// Store stores p in a snapshot, which shares its memory.
func (p *Projection) Store(s *snapshot.Snapshot) {
	s.Dim, s.Mean, s.Components = p.dim, p.mean, p.components
}

// Dim returns the number of elements of a vector.
func (p *Projection) Dim() int { return p.dim }

// Identity reports whether p leaves vectors unchanged.
func (p *Projection) Identity() bool { return p.apply == nil }

// Apply returns the model's input for the rows of x (n x dim), as n x q. The identity returns x
// itself. It panics if rows have another length; a matrix without rows may have any number of
// columns.
func (p *Projection) Apply(x vec.Matrix[float32], threads int) vec.Matrix[float32] {
	if p.Identity() {
		return x
	}
	return p.apply.Apply(x, threads)
}

// Learn is Apply for rows to learn from. It returns an error with advice if values are so large
// that the projection overflows.
func (p *Projection) Learn(x vec.Matrix[float32], threads int) (vec.Matrix[float32], error) {
	if p.Identity() {
		return x, nil
	}
	z := p.Apply(x, threads)
	if err := models.CheckRows(z, nil); err != nil {
		return x, models.BadInputf("after projection onto principal components: %w; standardize the columns", err)
	}
	return z, nil
}

// Overflow returns nil if all of z, the projection of x, is finite. Otherwise it returns the
// *models.RowError of the largest value in the first row that is not finite. names, if not nil, are
// the columns' names.
func (p *Projection) Overflow(x, z vec.Matrix[float32], names []string) error {
	var row *models.RowError
	if p.Identity() || !errors.As(models.CheckRows(z, nil), &row) {
		return nil
	}
	e := &models.RowError{Row: row.Row}
	for j, v := range x.Row(row.Row) {
		if v := float64(v); math.Abs(v) > math.Abs(e.Value) {
			e.Column, e.Value = j, v
		}
	}
	if e.Column < len(names) {
		e.Name = names[e.Column]
	}
	return e
}

// Undo sets x (dim) to the vector whose projection is z (q). Directions outside the components are
// lost; x has the mean there.
func (p *Projection) Undo(x, z []float32) {
	if p.Identity() {
		copy(x, z)
		return
	}
	sum := make([]float64, p.dim)
	for c, v := range p.mean {
		sum[c] = float64(v)
	}
	for r, w := range z {
		for c, v := range p.components.Row(r) {
			sum[c] += float64(w) * float64(v)
		}
	}
	for c, v := range sum {
		x[c] = float32(v)
	}
}

// Back converts differences of model input to differences of vectors.
type Back struct{ apply *pca.Projector }

// Back returns the reverse of a projection, nil for the identity.
func (p *Projection) Back() *Back {
	if p.Identity() {
		return nil
	}
	return &Back{pca.NewProjector(make([]float32, p.components.Rows), vec.Transpose(p.components))}
}

// Apply returns Components' g for the rows g (n x q), as n x dim: the vector differences for given
// differences of model input. Unlike Undo it adds no mean.
func (b *Back) Apply(g vec.Matrix[float32], threads int) vec.Matrix[float32] {
	return b.apply.Apply(g, threads)
}
