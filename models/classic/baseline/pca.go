package baseline

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/vec"
	"unfold/models/pca"
	"unfold/models/snapshot"
)

// linear is a map of principal components: x = V (z - m), z = m + V'x.
type linear struct {
	mean       []float64
	components vec.Matrix[float64] // d x q
	least      float64
}

// components fits principal components to the rows of x.
func components(ctx context.Context, x vec.Matrix[float32], s Settings) (*linear, error) {
	if err := enough(PCA, s.Dims, x.Cols); err != nil {
		return nil, err
	}
	p, err := pca.Fit(ctx, x, s.Dims, pca.Settings{Threads: s.Threads, Seed: s.Seed})
	if err != nil {
		return nil, err
	}
	l := &linear{mean: p.Centre, components: vec.Convert[float64](p.Components)}
	l.least = 1e-12 * p.Total / float64(s.Dims)
	return l, nil
}

// place sets mu to V (z - m) and returns the mean square of the remainder of z, by dimension left
// out.
func (l *linear) place(mu, rest []float64, z []float32) (variance float64) {
	left := float64(max(1, len(rest)-len(mu)))
	if len(mu) == 2 {
		return max(l.least, l.plane((*[2]float64)(mu), rest, z)/left)
	}
	for c, v := range z {
		rest[c] = float64(v) - l.mean[c]
	}
	for k := range mu {
		mu[k] = vec.Dot(l.components.Row(k), rest)
	}
	for k, v := range mu {
		vec.Axpy(-v, l.components.Row(k), rest)
	}
	return max(l.least, vec.SquaredNorm(rest)/left)
}

// plane sets mu to V (z - m) for two components and returns the squared remainder of z. Sums of
// even and odd elements are separate.
func (l *linear) plane(mu *[2]float64, rest []float64, z []float32) (square float64) {
	first, second, mean := l.components.Row(0)[:len(z)], l.components.Row(1)[:len(z)], l.mean[:len(z)]
	rest = rest[:len(z)]
	var p, s [2]float64
	for c, v := range z {
		r := float64(v) - mean[c]
		rest[c] = r
		p[0], p[1] = p[1], p[0]+float64(r*first[c])
		s[0], s[1] = s[1], s[0]+float64(r*second[c])
	}
	mu[0], mu[1] = p[0]+p[1], s[0]+s[1]
	even, odd := 0.0, 0.0
	for c, r := range rest {
		r = r - float64(mu[0]*first[c]) - float64(mu[1]*second[c])
		even, odd = odd, even+float64(r*r)
	}
	return even + odd
}

func (l *linear) dims() int { return l.components.Rows }

func (l *linear) placer() func(mu []float64, z []float32) float64 {
	rest := make([]float64, len(l.mean))
	return func(mu []float64, z []float32) float64 { return l.place(mu, rest, z) }
}

func (l *linear) decoder() func(z, x []float64) {
	return func(z, x []float64) {
		copy(z, l.mean)
		for k, v := range x {
			vec.Axpy(v, l.components.Row(k), z)
		}
	}
}

// noise returns the root mean square reconstruction error of the learnt vectors.
func (l *linear) noise(sigma2 []float64) float64 {
	q, lost := len(l.mean), 0.0
	for _, v := range sigma2 {
		lost += v / float64(len(sigma2))
	}
	return math.Sqrt(lost * float64(max(1, q-l.dims())) / float64(q))
}

// Parts returns the projection as parts of a model file:
//
//	mean         float64, q x 1
//	components   float64, d x q
//	least        float64, 1        the least variance that is published
func (l *linear) Parts() []snapshot.Part {
	return []snapshot.Part{
		{Name: "mean", Rows: len(l.mean), Cols: 1, Data: l.mean},
		{Name: "components", Rows: l.components.Rows, Cols: l.components.Cols, Data: l.components.Data},
		{Name: "least", Rows: 1, Cols: 1, Data: []float64{l.least}},
	}
}

func readLinear(s *snapshot.Snapshot) (*linear, error) {
	q, d := s.Reference.Cols, s.Mu.Cols
	l := &linear{}
	var err error
	if l.mean, err = snapshot.PartOf[float64](s, "mean", q, 1); err != nil {
		return nil, err
	}
	data, err := snapshot.PartOf[float64](s, "components", d, q)
	if err != nil {
		return nil, err
	}
	l.components = vec.Of(d, q, data)
	least, err := snapshot.PartOf[float64](s, "least", 1, 1)
	if err != nil {
		return nil, err
	}
	if l.least = least[0]; !(l.least > 0) {
		return nil, fmt.Errorf("the least variance %g has to be positive", l.least)
	}
	return l, nil
}
