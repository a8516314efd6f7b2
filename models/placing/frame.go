package placing

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/novelty"
	"unfold/models/projection"
	"unfold/models/snapshot"
	"unfold/sparse/distance"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// Searcher finds the neighbours of events on one snapshot. It is safe for concurrent use.
type Searcher struct {
	snap    *snapshot.Snapshot
	threads int
	project *projection.Projection
	index   knn.Index
	equal   *equals // nil if the search is exact
	tables  *novelty.Tables
	// reach is the number of neighbours that are searched for.
	reach int
}

// New prepares placing against s, which must be valid (Snapshot.Validate) and is shared. reach is
// the number of neighbours that the model needs per event, plus one in case the event is itself a
// reference point. Novelty may need more.
func New(s *snapshot.Snapshot, reach int, set Options) (*Searcher, error) {
	n := s.Reference.Rows
	f := &Searcher{
		snap: s, threads: set.Threads, reach: min(n, max(reach, s.NoveltyK+1)),
		tables:  novelty.Of(s),
		project: projection.Of(s),
	}
	if err := f.open(set.Search); err != nil {
		return nil, err
	}
	return f, nil
}

// Check validates a snapshot, and a rule and a number of neighbours for placing on it; 0 stands for
// the model's own number. name is the model's name for errors.
func Check(name string, s *snapshot.Snapshot, set Options) error {
	if err := s.Validate(); err != nil {
		return models.BadInputf("%s: the snapshot does not fit: %w", name, err)
	}
	if set.Neighbors < 0 {
		return fmt.Errorf("%s: placing by %d neighbours, want at least 1", name, set.Neighbors)
	}
	if !set.Rule.Known() {
		return fmt.Errorf("%s: unknown rule for placing: %v", name, set.Rule)
	}
	return models.CheckSearch(set.Search, s.Distance)
}

// open selects the index.
func (f *Searcher) open(set auto.Settings) error {
	s := f.snap
	switch {
	case s.Graph != nil:
		f.index = graph.NewIndex(graph.PathsOf(s.Graph.Lengths), s.Graph.Weights)
		return nil
	case s.Distance != distance.Euclidean || set.Recall == 1 || set.Method == auto.Exact || !s.Approximate() && set.Method != auto.HNSW:
		f.index = knn.NewExactBy(s.Distance, s.Reference)
		return nil
	}
	f.equal = newEquals(s.Reference)
	if err := f.approximate(set); err != nil {
		return fmt.Errorf("placing: %w", err)
	}
	return nil
}

// approximate opens cells or, if these have too little recall or links are requested, an HNSW
// index: the snapshot's, or a new one.
func (f *Searcher) approximate(set auto.Settings) (err error) {
	ctx, ix, recall := context.Background(), f.snap.Index, f.snap.CellRecall
	if ix != nil {
		recall = auto.Recall(f.reach, ix.Settings().Ef)
	}
	want := set
	if want.Recall == 0 {
		want.Recall = recall
	}
	if c := f.snap.Cells; c != nil && c.K() == f.reach && c.Recall() == want.Recall && want.Method == auto.Auto {
		f.index = c
		return nil
	}
	if cells, err := auto.Cells(ctx, f.snap.Reference, f.reach, want, f.threads); err != nil {
		return err
	} else if cells != nil {
		f.index = cells
		return nil
	}
	if ix == nil {
		if ix, err = auto.Build(ctx, f.snap.Reference, f.reach, want, knn.Settings{Threads: f.threads}); err != nil {
			return err
		}
	}
	f.index = auto.Tuned(ix, f.reach, set)
	return nil
}

// Dim returns the dimension of an event's vector.
func (f *Searcher) Dim() int { return f.snap.Dim }

// Dims returns the dimension of the map.
func (f *Searcher) Dims() int { return f.snap.Mu.Cols }

// Version returns the snapshot's version.
func (f *Searcher) Version() uint64 { return f.snap.Version }

// Epoch returns the snapshot's epoch.
func (f *Searcher) Epoch() uint32 { return f.snap.Epoch }

// MapID returns the snapshot's map id.
func (f *Searcher) MapID() string { return f.snap.MapID }

// Block is the run From..To of the events of a call of Place; To is excluded.
type Block struct {
	From, To int

	frame *Searcher
	z     vec.Matrix[float32]
	near  *knn.Neighbors
	out   models.Placed
}

// size is the number of events of a block.
const size = 64

// Place places the rows of x. It splits them into blocks and calls place for each, concurrently.
// place must call Publish for every event of its block; Event returns its neighbours. The errors
// are those of models.Placer, or the first that place returns.
func (f *Searcher) Place(ctx context.Context, x vec.Matrix[float32], place func(b Block) error) (models.Placed, error) {
	z, err := f.Project(x)
	if err != nil {
		return models.Placed{}, err
	}
	out := models.Placed{
		Mu: vec.New[float32](x.Rows, f.Dims()), Sigma: make([]float32, x.Rows),
		NoveltyLocal: make([]float32, x.Rows), NoveltyGlobal: make([]float32, x.Rows),
	}
	if x.Rows == 0 {
		return out, ctx.Err()
	}
	near, err := f.Search(ctx, z)
	if err != nil {
		return models.Placed{}, err
	}
	failed := make([]error, par.Pieces(x.Rows, size))
	par.Ranges(f.threads, x.Rows, size, func(_, from, to int) {
		if ctx.Err() == nil {
			for i := from; i < to; i++ {
				index, dist2 := near.Row(i)
				f.equal.first(f.snap.Reference, z.Row(i), index, dist2)
			}
			failed[from/size] = place(Block{From: from, To: to, frame: f, z: z, near: near, out: out})
		}
	})
	if err := ctx.Err(); err != nil {
		return models.Placed{}, err
	}
	for _, err := range failed {
		if err != nil {
			return models.Placed{}, err
		}
	}
	out.Near, out.Seen = near, z
	return out, CheckPlaced(out)
}

// Project checks the rows of x and returns their projections.
func (f *Searcher) Project(x vec.Matrix[float32]) (vec.Matrix[float32], error) {
	if err := f.snap.CheckDim(x.Cols); err != nil {
		return x, err
	}
	if err := models.CheckRows(x, f.snap.Names); err != nil {
		return x, err
	}
	if err := distance.Check(f.snap.Distance, x); err != nil {
		return x, models.BadInputf("placing: %w", err)
	}
	z := f.project.Apply(x, f.threads)
	return z, f.project.Overflow(x, z, f.snap.Names)
}

// Search returns the reach nearest reference points of the rows of z, as the index finds them.
func (f *Searcher) Search(ctx context.Context, z vec.Matrix[float32]) (*knn.Neighbors, error) {
	return f.Nearest(ctx, z, f.reach)
}

// Nearest returns the k nearest reference points of the rows of z.
func (f *Searcher) Nearest(ctx context.Context, z vec.Matrix[float32], k int) (*knn.Neighbors, error) {
	near, err := f.index.Search(ctx, z, k, knn.Settings{Threads: f.threads})
	if err != nil {
		return nil, fmt.Errorf("placing: %w", err)
	}
	return near, nil
}

// Event returns the projected vector of event i, and its nearest reference points with their
// squared distances.
func (b Block) Event(i int) (z []float32, index []int32, dist2 []float64) {
	index, dist2 = b.near.Row(i)
	return b.z.Row(i), index, dist2
}

// Publish sets the place of event i, its scale, the root of sigma2, and its novelty.
func (b Block) Publish(i int, mu []float64, sigma2 float64) {
	t := b.frame.tables
	local, global := t.Percentiles(t.Score(novelty.Others(b.near.Row(i))))
	Publish(b.out, i, mu, sigma2, local, global)
}

// Publish sets row i of out in single precision: the mean, the scale, which is the root of sigma2,
// and two novelty percentiles.
func Publish(out models.Placed, i int, mu []float64, sigma2, local, global float64) {
	row := out.Mu.Row(i)
	for c, m := range mu {
		row[c] = float32(m)
	}
	// The scale of an event near the end of the number range may overflow.
	out.Sigma[i] = float32(min(math.Sqrt(sigma2), math.MaxFloat32))
	out.NoveltyLocal[i], out.NoveltyGlobal[i] = float32(local), float32(global)
}

// Seen returns the projected vectors of the events of the block.
func (b Block) Seen() vec.Matrix[float32] { return b.z.Slice(b.From, b.To) }

// CheckPositions checks positions on the map that are to be decoded; see models.Decoder for errors.
func (f *Searcher) CheckPositions(mu vec.Matrix[float32]) error {
	if mu.Cols != f.Dims() {
		return &models.DimensionError{Got: mu.Cols, Want: f.Dims()}
	}
	return models.CheckRows(mu, nil)
}

// Unproject maps projected vectors back to the dimensions of events. Parts outside of the
// components are lost in the projection. sigma is converted with them; it is the root mean square
// of the elements' standard deviations.
func (f *Searcher) Unproject(z vec.Matrix[float32], sigma []float32) models.Decoded {
	if f.project.Identity() {
		return models.Decoded{X: z, Sigma: sigma}
	}
	x := vec.New[float32](z.Rows, f.project.Dim())
	for i := range z.Rows {
		f.project.Undo(x.Row(i), z.Row(i))
		sigma[i] *= float32(math.Sqrt(float64(z.Cols) / float64(x.Cols)))
	}
	return models.Decoded{X: x, Sigma: sigma}
}
