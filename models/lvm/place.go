package lvm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"unfold/models"
	"unfold/models/baseline"
	"unfold/models/novelty"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
	"unfold/sparse/par"
	"unfold/sparse/vec"
)

// PlaceRule says how an event's mean follows from its neighbours'.
type PlaceRule int

const (
	// RuleAuto is Median with Gaussian tails; with heavy tails Robust for up to
	// three dimensions and LLE for more.
	RuleAuto PlaceRule = iota
	// Median is the coordinate-wise median of the neighbours' means, each counted
	// once for every edge between it and the event.
	Median
	// EM is the model's own answer with Gaussian tails: eq 20 for the one new
	// point, all others frozen.
	EM
	// Robust is the model's own answer with heavy tails: the most likely place,
	// all others frozen.
	Robust
	// LLE is Robust with the edges sent weighted by how the event's vector is a
	// combination of its neighbours'.
	LLE
)

var placeRules = []string{RuleAuto: "auto", Median: "median", EM: "em", Robust: "robust", LLE: "lle"}

// Resolve returns what a rule stands for on a map with such tails and so many
// dimensions, or a *SettingError if it does not go with them.
func (r PlaceRule) Resolve(tails Tails, dims int) (PlaceRule, error) {
	switch {
	case r == RuleAuto && tails == Gaussian:
		return Median, nil
	case r == RuleAuto && dims <= 3:
		return Robust, nil
	case r == RuleAuto:
		return LLE, nil
	case tails != Gaussian && r == EM:
		return r, &SettingError{"place", "em goes with Gaussian tails; this map has heavy ones: take auto, robust, lle or median"}
	case tails == Gaussian && (r == Robust || r == LLE):
		return r, &SettingError{"place", fmt.Sprintf("%v goes with heavy tails; this map has Gaussian ones: take auto, median or em", r)}
	}
	return r, nil
}

// String is the rule's name on the command line.
func (r PlaceRule) String() string {
	if r < 0 || int(r) >= len(placeRules) {
		return fmt.Sprintf("PlaceRule(%d)", int(r))
	}
	return placeRules[r]
}

// ParsePlaceRule is the inverse of String; the empty name is the default rule.
func ParsePlaceRule(name string) (PlaceRule, error) {
	for r, n := range placeRules {
		if name == n || name == "" {
			return PlaceRule(r), nil
		}
	}
	return 0, fmt.Errorf("unknown rule %q for placing: want %s", name, strings.Join(placeRules, ", "))
}

// PlaceSettings of a Placer. The zero value works.
type PlaceSettings struct {
	// Rule is how means follow from neighbours. Default RuleAuto.
	Rule PlaceRule
	// Neighbors is how many reference points the event sends an edge to. Default
	// the model's k with heavy tails, else DefaultPlaceNeighbors.
	Neighbors int
	// Received is the weight of an edge that the event receives, of one that it
	// sends being 1 (heavy tails only). Default DefaultReceived.
	Received float64
	// Threads bounds the goroutines of one call of Place; 0 means GOMAXPROCS.
	// The result does not depend on it.
	Threads int
	// Search says how neighbours are found. By default it is by the snapshot's index
	// and with its recall, exactly if there is none. HNSW makes one if there is none,
	// which takes a second for 60,000 points; Exact, or a recall of 1, ignores it.
	Search auto.Settings
}

// Placer places events against one snapshot of this model. It implements
// models.Placer.
type Placer struct {
	snap    *snapshot.Snapshot
	set     PlaceSettings
	project *baseline.Projector // nil if there is no projection
	index   knn.Index
	equal   *equals // nil if the search is exact
	tables  *novelty.Tables
	works   par.Lender[placeWork]
	// search is the number of neighbours that are looked for: the most that
	// anything below uses and one more, in case the event is a reference point.
	search int
}

var _ models.Placer = (*Placer)(nil)

// NewPlacer prepares placing against s, which it validates and then shares.
func NewPlacer(s *snapshot.Snapshot, set PlaceSettings) (*Placer, error) {
	if err := s.Validate(); err != nil {
		return nil, models.BadInputf("lvm: the snapshot does not fit: %w", err)
	}
	n := s.Reference.Rows
	switch {
	case set.Neighbors < 0:
		return nil, fmt.Errorf("lvm: placing by %d neighbours, want at least 1", set.Neighbors)
	case set.Rule < 0 || int(set.Rule) >= len(placeRules):
		return nil, fmt.Errorf("lvm: unknown rule for placing: %v", set.Rule)
	case !(set.Received >= 0) || math.IsInf(set.Received, 0) || s.Student == nil && set.Received != 0:
		return nil, fmt.Errorf("lvm: a weight of %v for edges received (with heavy tails; with Gaussian ones it is 1)", set.Received)
	case n < 2:
		return nil, models.BadInputf("lvm: a map of %d reference point cannot place events: want at least 2", n)
	}
	tails := TailsOf(s)
	var err error
	if set.Rule, err = set.Rule.Resolve(tails, s.Mu.Cols); err != nil {
		return nil, err
	}
	switch {
	case set.Neighbors == 0 && tails == Student:
		set.Neighbors = s.Neighbors
	case set.Neighbors == 0:
		set.Neighbors = DefaultPlaceNeighbors
	}
	if set.Received == 0 {
		set.Received = DefaultReceived
	}
	set.Neighbors = min(set.Neighbors, n-1)
	p := &Placer{
		snap: s, set: set, search: Reach(tails, set.Neighbors, s.NoveltyK, n),
		tables: &novelty.Tables{K: s.NoveltyK, KDist2: s.KDist2, Density: s.Density, Local: s.LocalScores, Global: s.GlobalScores},
	}
	if err := p.open(); err != nil {
		return nil, err
	}
	if s.Components.Rows > 0 {
		p.project = baseline.NewProjector(s.Mean, s.Components)
	}
	return p, nil
}

// TailsOf says which tails a map was learnt with.
func TailsOf(s *snapshot.Snapshot) Tails {
	if s.Student != nil {
		return Student
	}
	return Gaussian
}

// Dim is the dimension of an event's vector.
func (p *Placer) Dim() int { return p.snap.Dim }

// Dims is the dimension of the map.
func (p *Placer) Dims() int { return p.snap.Mu.Cols }

// Version is that of the snapshot.
func (p *Placer) Version() uint64 { return p.snap.Version }

// Epoch is that of the snapshot.
func (p *Placer) Epoch() uint32 { return p.snap.Epoch }

// placeBlock is the number of events that one task takes.
const placeBlock = 64

// Place returns the places of the rows of x; see models.Placer. An event that
// equals a reference point gets that point's own mean, scale and leave-one-out
// novelty.
func (p *Placer) Place(ctx context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	if err := p.snap.CheckDim(x.Cols); err != nil {
		return models.Placed{}, err
	}
	if err := models.CheckRows(x, p.snap.Names); err != nil {
		return models.Placed{}, err
	}
	z := x
	if p.project != nil {
		z = p.project.Apply(x, p.set.Threads)
		if err := p.overflow(x, z); err != nil {
			return models.Placed{}, err
		}
	}
	out := models.Placed{
		Mu: vec.New[float32](x.Rows, p.Dims()), Sigma: make([]float32, x.Rows),
		NoveltyLocal: make([]float32, x.Rows), NoveltyGlobal: make([]float32, x.Rows),
	}
	if x.Rows == 0 {
		return out, ctx.Err()
	}
	near, err := p.index.Search(ctx, z, p.search, knn.Settings{Threads: p.set.Threads})
	if err != nil {
		return models.Placed{}, fmt.Errorf("lvm: placing: %w", err)
	}
	par.Ranges(p.set.Threads, x.Rows, placeBlock, func(_, from, to int) {
		w := p.works.Get()
		defer p.works.Put(w)
		w.fit(p.Dims(), p.set.Neighbors)
		for i := from; i < to; i++ {
			index, dist2 := near.Row(i)
			p.equal.first(p.snap.Reference, z.Row(i), index, dist2)
			sigma2 := p.one(w, z.Row(i), index, dist2)
			local, global := p.novelty(index, dist2)
			Publish(out, i, w.mu, sigma2, local, global)
		}
	})
	return out, ctx.Err()
}

// one sets w.mu to the place of the event z with the given nearest reference
// points and returns the square of its scale.
func (p *Placer) one(w *placeWork, z []float32, index []int32, dist2 []float64) (sigma2 float64) {
	if p.snap.Student != nil {
		return p.heavyPoint(w, z, index, dist2)
	}
	return p.point(w, index, dist2)
}

// overflow returns an error that names the largest value of the first row whose
// projection z is not finite.
func (p *Placer) overflow(x, z vec.Matrix[float32]) error {
	var row *models.RowError
	if !errors.As(models.CheckRows(z, nil), &row) {
		return nil
	}
	e := &models.RowError{Row: row.Row}
	for j, v := range x.Row(row.Row) {
		if v := float64(v); math.Abs(v) > math.Abs(e.Value) {
			e.Column, e.Value = j, v
		}
	}
	if e.Column < len(p.snap.Names) {
		e.Name = p.snap.Names[e.Column]
	}
	return e
}

// novelty returns the percentiles of an event with the given neighbours.
func (p *Placer) novelty(index []int32, dist2 []float64) (local, global float64) {
	if dist2[0] == 0 {
		index, dist2 = index[1:], dist2[1:]
	}
	return p.tables.Percentiles(p.tables.Score(index, dist2))
}

// Publish sets place i of out, in single precision: a mean, the scale of a
// variance, and two novelty percentiles.
func Publish(out models.Placed, i int, mu []float64, sigma2, local, global float64) {
	row := out.Mu.Row(i)
	for c, m := range mu {
		row[c] = float32(m)
	}
	// An event at the end of the number range may have a scale beyond it.
	out.Sigma[i] = float32(min(math.Sqrt(sigma2), math.MaxFloat32))
	out.NoveltyLocal[i], out.NoveltyGlobal[i] = float32(local), float32(global)
}
