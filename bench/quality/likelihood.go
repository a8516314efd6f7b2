package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"unfold/ingest"
	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models/snapshot"
	"unfold/models/student"
	"unfold/sparse/knn"
)

// This file studies whether held-out likelihood is a good criterion for choosing settings.
//
// One row in ten is held out. The map is learnt from the others, and the held-out events are placed
// on it. An event x has true neighbours, the reference points nearest to it in the input, always
// trueNeighbors of them. The model says how likely it is that x and a reference point l are alike,
// P(x,l), by their places and variances and by x's own length scale Delta_x, for which the median
// of the true neighbours' stands. What it says of the neighbours is
//
//	mean over x and its true neighbours j of log( P(x,j) / sum_l P(x,l) )
//
// where l runs over all reference points: a number that means the same whatever k, the weight of
// dissimilar pairs and the tails are.
const trueNeighbors = 10

// studyRows bounds the number of rows of a data set in the study; studySets are its sets.
const studyRows = 5_000

var studySets = []string{"mnist", "usps", "optdigits", "oil"}

// studySettings returns the settings to compare, the defaults first.
func studySettings() []method {
	all := []method{{key: "defaults", title: "defaults"}}
	for _, k := range []string{"4", "6", "9", "15"} {
		for _, c := range []string{"0.03", "0.086", "0.3", "1"} {
			all = append(all, method{key: "k" + k + "-c" + c, title: "k = " + k + ", c = " + c, flags: []string{"--neighbors", k, "--weight", c}})
		}
		all = append(all, method{key: "k" + k + "-gaussian", title: "k = " + k + ", Gaussian", flags: []string{"--neighbors", k, "--tails", "gaussian"}})
	}
	return all
}

// studySettings returns the settings of this run: for toy data only the first few, on one set.
func (b *bench) studySettings(set string) []method {
	switch {
	case !b.small:
		return studySettings()
	case set == studySets[0]:
		return studySettings()[:3]
	}
	return nil
}

// loglik is the name of the figure.
const loglik = "held-out"

func studyName(set string, m method) string { return "likelihood-" + set + "/" + m.key }

// study measures all settings on the study's sets.
func (b *bench) study(ctx context.Context, sets []*prepared) error {
	for _, p := range sets {
		if !slices.Contains(studySets, p.name) {
			continue
		}
		var part *heldRows
		for _, m := range b.studySettings(p.name) {
			made := fmt.Sprintf("%s, %d rows, %d true neighbours", b.made(m, job{}, p), studyRows, trueNeighbors)
			_, err := b.once(studyName(p.name, m), made, b.when(m, partLikelihood), func(r *result) error {
				if part == nil {
					var err error
					if part, err = b.holdOut(ctx, p); err != nil {
						return err
					}
				}
				return b.held(ctx, part, m, r)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// heldRows is a data set in two parts, as files and as input vectors.
type heldRows struct {
	// known is the first part as a data set, for scoring.
	known     *prepared
	dir, test string
	// near are the true nearest known rows of the held-out events.
	near *knn.Neighbors
}

// holdOut draws the rows of the study and the held-out rows among them. It uses one of equal rows,
// as the model does.
func (b *bench) holdOut(ctx context.Context, p *prepared) (*heldRows, error) {
	input, err := readVectors(ctx, p.input)
	if err != nil {
		return nil, err
	}
	order := differentRows(input, rand.New(rand.NewPCG(1, 0x1e1d)).Perm(input.Rows), studyRows)
	test, known := order[:len(order)/10], order[len(order)/10:]
	slices.Sort(known)
	slices.Sort(test)
	h := &heldRows{dir: b.file("data", "likelihood-"+p.name)}
	h.known = &prepared{dataset: p.dataset, Rows: len(known), sampled: true, raw: filepath.Join(h.dir, "raw.npy"),
		input: filepath.Join(h.dir, "input.npy"), beside: filepath.Join(h.dir, "beside.csv")}
	h.test = filepath.Join(h.dir, "test.npy")
	if err := os.MkdirAll(h.dir, 0o777); err != nil {
		return nil, err
	}
	raw, err := readVectors(ctx, p.raw)
	if err != nil {
		return nil, err
	}
	labels, err := readLabels(p.beside)
	if err != nil {
		return nil, err
	}
	t := &table{x: vec.Take(raw, known)}
	for _, i := range known {
		t.label = append(t.label, labels[i])
	}
	for path, x := range map[string]vec.Matrix[float32]{h.known.raw: t.x, h.known.input: vec.Take(input, known), h.test: vec.Take(input, test)} {
		if err := writeNPY(path, x); err != nil {
			return nil, err
		}
	}
	if err := t.writeBeside(h.known.beside); err != nil {
		return nil, err
	}
	h.near, err = knn.NewExact(vec.Take(input, known)).Search(ctx, vec.Take(input, test), trueNeighbors, knn.Settings{})
	return h, err
}

// differentRows returns the first distinct rows in the given order, at most most.
func differentRows(x vec.Matrix[float32], order []int, most int) []int {
	seen := map[string]bool{}
	var out []int
	var key []byte
	for _, i := range order {
		if len(out) == most {
			break
		}
		key = key[:0]
		for _, v := range x.Row(i) {
			if v == 0 {
				v = 0 // -0 is equal to 0
			}
			key = binary.LittleEndian.AppendUint32(key, math.Float32bits(v))
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			out = append(out, i)
		}
	}
	return out
}

// held learns with some settings, and scores the map and the held-out events' places.
func (b *bench) held(ctx context.Context, h *heldRows, m method, r *result) error {
	model, places, known := filepath.Join(h.dir, "m.unfold"), filepath.Join(h.dir, "test-map.npy"), filepath.Join(h.dir, "map.npy")
	args := append([]string{"fit", "-q", h.known.input, "-o", model, "--map", known, "--threads", strconv.Itoa(b.threads)}, m.flags...)
	if _, err := b.command(ctx, b.unfold, args...); err != nil {
		return err
	}
	if err := b.score(ctx, h.known, known, r); err != nil {
		return err
	}
	if _, err := b.command(ctx, b.unfold, "embed", "-q", h.test, "-m", model, "-o", places); err != nil {
		return err
	}
	s, err := snapshot.ReadFile(model)
	if err != nil {
		return err
	}
	if s.Reference.Rows != h.known.Rows {
		return fmt.Errorf("%d of %d rows are equal to others: the study knows only different ones", h.known.Rows-s.Reference.Rows, h.known.Rows)
	}
	placed, err := ingest.ReadMap(ctx, places, ingest.Options{})
	if err != nil {
		return err
	}
	r.Figures[loglik] = heldOutLikelihood(s, placed.Embedding, h.near, b.threads)
	return nil
}

// heldOutLikelihood returns the mean of log( P(x,j) / sum_l P(x,l) ) over events x placed at m (n x
// d) and their true neighbours j among the reference points.
func heldOutLikelihood(s *snapshot.Snapshot, m vec.Matrix[float32], near *knn.Neighbors, threads int) float64 {
	const size = 16
	sums := make([]float64, par.Pieces(m.Rows, size))
	par.Ranges(threads, m.Rows, size, func(p, from, to int) {
		logs := make([]float64, s.Mu.Rows)
		place := make([]float64, m.Cols)
		for x := from; x < to; x++ {
			for c, v := range m.Row(x) {
				place[c] = float64(v)
			}
			index, _ := near.Row(x)
			sums[p] += ofNeighbors(s, place, index, logs)
		}
	})
	var total float64
	for _, v := range sums {
		total += v
	}
	return total / float64(m.Rows)
}

// ofNeighbors returns that mean for one event. logs is scratch memory for log P(x,l).
func ofNeighbors(s *snapshot.Snapshot, place []float64, index []int32, logs []float64) (mean float64) {
	scales := make([]float64, len(index))
	var sigma2 float64
	for i, j := range index {
		scales[i] = scale2(s, int(j))
		sigma2 += s.Sigma2[j] / float64(len(index))
	}
	slices.Sort(scales)
	pair := student.Pair{Scale2: (scales[(len(scales)-1)/2] + scales[len(scales)/2]) / 2, Sigma2I: sigma2, Dims: len(place)}
	if s.Student != nil {
		pair.Tail = s.Student.Tail
	}
	for l := range logs {
		pair.Sigma2J, pair.Dist2 = s.Sigma2[l], vec.SquaredDistance(place, s.Mu.Row(l))
		logs[l] = logCloseness(pair)
	}
	// log sum exp, relative to the largest.
	most := slices.Max(logs)
	var sum float64
	for _, v := range logs {
		sum += math.Exp(v - most)
	}
	for _, j := range index {
		mean += (logs[j] - most - math.Log(sum)) / float64(len(index))
	}
	return mean
}

// scale2 returns Delta_l^2 of a reference point in the learnt model.
func scale2(s *snapshot.Snapshot, l int) float64 {
	if s.Student == nil {
		return s.Bandwidth2[l]
	}
	return min(max(s.Bandwidth2[l]/s.Student.Unit, s.Student.Clip[0]), s.Student.Clip[1])
}

// logCloseness returns log P(x,l). A tail of 0 is Gaussian: with V = delta^2 + sigma_x^2 +
// sigma_l^2, P = (delta^2/V)^(d/2) exp(-r^2/(2V)).
func logCloseness(p student.Pair) float64 {
	if p.Tail == 0 {
		return float64(p.Dims)/2*math.Log(p.Scale2/p.V()) - p.Dist2/(2*p.V())
	}
	return p.LogProb()
}
