package placing

import (
	"context"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/knn"
)

// Constants of the regression, chosen on two data sets and judged on others (docs/decisions/decode.md).
const (
	// regressors is the number of reference points from which a vector is predicted.
	regressors = 30
	// bandwidthRank is the rank of the reference point whose distance on the map is the bandwidth.
	bandwidthRank = 4
	// slopeRidge is added to the variance of coordinates, in units of the squared bandwidth.
	slopeRidge = 0.1
)

// Regression decodes positions of maps whose models have no mapping back to the data. It uses a
// local linear regression of the reference points' vectors on their positions. The regression at y
// minimises
//
//	sum_j w_j |z_j - b - B (mu_j - y)|^2 + slopeRidge h^2 |B|^2,
//	w_j = Count_j (1 + |mu_j - y|^2 / (2 a h^2))^-(a + d/2),
//
// over the nearest points j, and b is the vector at y. h is the distance of one of the nearest
// points. The weights have the tails of the model: Student's with 2a degrees of freedom, or with
// Gaussian tails their limit. If all points are far away on one side, h is large compared with
// their spread, and b is their weighted mean. The rest of this file and regression_error.go predict
// the error.
//
// It is safe for concurrent use. The index of positions is built at the first call.
type Regression struct {
	frame *Searcher
	// tail is a, or 0 for Gaussian tails.
	tail  float64
	index func() *knn.Exact
	curve func() growth
	// lost returns the expected squared error of the components that the projection omits.
	lost func() float64

	mu sync.Mutex
	// left caches the leave-one-out errors of reference points.
	left map[int32]residual
}

// NewRegression returns the regression of the reference points of f.
func NewRegression(f *Searcher) *Regression {
	r := &Regression{frame: f, left: map[int32]residual{}}
	if f.snap.Student != nil {
		r.tail = f.snap.Student.Tail
	}
	r.index = sync.OnceValue(func() *knn.Exact { return knn.NewExact(vec.Convert[float32](f.snap.Mu)) })
	r.curve = sync.OnceValue(r.growth)
	r.lost = sync.OnceValue(func() float64 { return lostVariance(f.snap) })
	return r
}

// decodeBlock is the number of positions that are searched at once.
const decodeBlock = 2048

// Decode returns the vectors at the rows of mu. Sigma is the predicted root mean squared error of
// an element; see models.Decoder. The nodes of a graph have no vectors, so decoding them is bad
// input.
func (r *Regression) Decode(ctx context.Context, mu vec.Matrix[float32]) (models.Decoded, error) {
	if r.frame.snap.Graph != nil {
		return models.Decoded{}, models.BadInputf("the map is of a graph or of distances, whose rows have no vectors: there is nothing to decode to")
	}
	if err := r.frame.CheckPositions(mu); err != nil {
		return models.Decoded{}, err
	}
	z, sigma := vec.New[float32](mu.Rows, r.frame.snap.Reference.Cols), make([]float32, mu.Rows)
	for from := 0; from < mu.Rows; from += decodeBlock {
		to := min(from+decodeBlock, mu.Rows)
		if err := r.decode(ctx, mu.Slice(from, to), z.Slice(from, to), sigma[from:to]); err != nil {
			return models.Decoded{}, err
		}
	}
	return r.frame.Unproject(z, sigma), ctx.Err()
}

// decode is Decode for one block, in the space of the reference points.
func (r *Regression) decode(ctx context.Context, mu, z vec.Matrix[float32], sigma []float32) error {
	near, err := r.near(ctx, mu, regressors)
	if err != nil {
		return err
	}
	left, err := r.residuals(ctx, near)
	if err != nil {
		return err
	}
	q := float64(z.Cols)
	par.Ranges(r.frame.threads, mu.Rows, piece, func(_, from, to int) {
		w, b := newRegressor(r, mu.Cols), make([]float64, z.Cols)
		for i := from; i < to && ctx.Err() == nil; i++ {
			index, dist2 := near.Row(i)
			w.at(mu.Row(i), index, dist2)
			w.predict(b, index)
			for c, v := range b {
				z.Row(i)[c] = float32(v)
			}
			sigma[i] = float32(math.Sqrt((r.error2(w, index, left) + r.lost()) / q))
		}
	})
	return ctx.Err()
}

// near returns the k nearest reference points on the map for each row, or all if there are fewer.
func (r *Regression) near(ctx context.Context, mu vec.Matrix[float32], k int) (*knn.Neighbors, error) {
	ix := r.index()
	return ix.Search(ctx, mu, min(k, ix.Len()), knn.Settings{Threads: r.frame.threads})
}

// regressor computes the weights of a regression, for one goroutine.
type regressor struct {
	*Regression
	// weight are the kernel weights, which sum to 1. share are the weights of the vectors in the
	// prediction.
	weight, share []float64
	// bandwidth2 is h^2.
	bandwidth2 float64

	offset vec.Matrix[float64] // of positions from y, later from their mean
	mean   []float64
	gram   *mat.SymDense
	slope  *mat.VecDense
}

func newRegressor(r *Regression, dims int) *regressor {
	return &regressor{
		Regression: r, weight: make([]float64, regressors), share: make([]float64, regressors),
		offset: vec.New[float64](regressors, dims), mean: make([]float64, dims), gram: mat.NewSymDense(dims, nil), slope: mat.NewVecDense(dims, nil),
	}
}

// at sets the weights of the reference points of a list for the position y.
func (w *regressor) at(y []float32, index []int32, dist2 []float64) {
	k, dims := len(index), len(y)
	w.bandwidth2 = dist2[min(bandwidthRank, k)-1]
	h2 := w.bandwidth2
	if h2 == 0 {
		h2 = dist2[k-1] // many points have the same place
	}
	sum := 0.0
	for j, p := range index {
		w.weight[j] = float64(w.frame.snap.Count[p]) * w.kernel(dist2[j], h2, dims)
		sum += w.weight[j]
	}
	clear(w.mean)
	for j, p := range index {
		w.weight[j] /= sum
		for c, v := range w.frame.snap.Mu.Row(int(p)) {
			w.offset.Row(j)[c] = v - float64(y[c])
			w.mean[c] += w.weight[j] * w.offset.Row(j)[c]
		}
	}
	copy(w.share, w.weight)
	if w.slopes(k, h2) {
		g := w.slope.RawVector().Data
		for j := range k {
			w.share[j] *= 1 - vec.Dot(w.offset.Row(j), g)
		}
	}
}

// kernel returns the weight of a point at a squared distance.
func (w *regressor) kernel(dist2, h2 float64, dims int) float64 {
	switch {
	case h2 == 0:
		return 1
	case w.tail == 0:
		return math.Exp(-dist2 / (2 * h2))
	}
	return math.Pow(1+dist2/(2*w.tail*h2), -w.tail-float64(dims)/2)
}

// slopes solves for the change of the shares with the offset. It returns false if there is no
// solution, because all points have the same place.
func (w *regressor) slopes(k int, h2 float64) bool {
	dims := len(w.mean)
	for a := range dims {
		for b := range a + 1 {
			w.gram.SetSym(a, b, 0)
		}
	}
	for j := range k {
		d := w.offset.Row(j)
		for c, v := range w.mean {
			d[c] -= v
		}
		for a := range dims {
			for b := range a + 1 {
				w.gram.SetSym(a, b, w.gram.At(a, b)+w.weight[j]*d[a]*d[b])
			}
		}
	}
	for a := range dims {
		w.gram.SetSym(a, a, w.gram.At(a, a)+slopeRidge*h2)
	}
	var chol mat.Cholesky
	if !(h2 > 0) || !chol.Factorize(w.gram) {
		return false
	}
	// The ridge bounds the condition number, so the error of SolveVecTo can be ignored.
	_ = chol.SolveVecTo(w.slope, mat.NewVecDense(dims, w.mean))
	return vec.Finite(w.slope.RawVector().Data)
}

// predict sets b to the vector at the position.
func (w *regressor) predict(b []float64, index []int32) {
	clear(b)
	for j, p := range index {
		share := w.share[j]
		for c, v := range w.frame.snap.Reference.Row(int(p)) {
			b[c] += float64(share * float64(v))
		}
	}
}
