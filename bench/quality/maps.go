package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// maps makes and scores the maps of a data set with all methods, from several seeds.
func (b *bench) maps(ctx context.Context, p *prepared) error {
	for _, m := range b.methods() {
		if !m.takes(p) {
			continue
		}
		if able, err := b.able(ctx, m); err != nil {
			return err
		} else if !able {
			b.say("left out: %s: the program has no %s", m.title, m.needs)
			continue
		}
		for seed := 1; seed <= b.seedsOf(m); seed++ {
			if err := b.mapOf(ctx, p, m, seed); err != nil {
				return err
			}
		}
	}
	return nil
}

// able reports whether the measured program supports the flag that a method needs. It may be an
// earlier build.
func (b *bench) able(ctx context.Context, m method) (bool, error) {
	if m.needs == "" {
		return true, nil
	}
	help, err := b.command(ctx, b.unfold, "fit", "--help")
	return strings.Contains(string(help), m.needs), err
}

func (b *bench) mapOf(ctx context.Context, p *prepared, m method, seed int) error {
	when := b.when(m, p.name)
	if seed == 1 {
		when = b.whenTimed(m, p.name)
	} else if seed > b.firstSeeds {
		when = unwanted
	}
	if len(b.tried) > 0 && when == wanted {
		when = unwanted
		if m.tried() {
			when = always
		}
	}
	if b.quick && when == wanted && !m.peer {
		when = always // the program may have changed
	}
	name := mapName(p.name, m.key, seed)
	j := job{output: b.mapFile(p.name, strings.TrimPrefix(name, p.name+"/")), seed: seed, timed: seed == 1 && !m.tried()}
	_, err := b.once(name, b.made(m, j, p), when, func(r *result) error {
		return b.best(ctx, p, m, j, r)
	})
	return err
}

// best makes and scores the map of each input of a method, and keeps the map with the largest R_NX.
// Later seeds use the input of the first seed.
func (b *bench) best(ctx context.Context, p *prepared, m method, j job, r *result) error {
	inputs := m.inputs(p)
	if first := b.results[mapName(p.name, m.key, 1)]; j.seed > 1 && first != nil {
		inputs = slices.DeleteFunc(inputs, func(in input) bool { return in.title != first.Input })
	}
	output := j.output
	for k, in := range inputs {
		j.input = in
		if k > 0 {
			j.output = strings.TrimSuffix(output, ".npy") + "-other.npy"
		}
		made := newResult()
		made.Run, made.Made, made.Input = r.Run, r.Made, in.title
		if err := b.make(ctx, m, j, made); err != nil {
			return err
		}
		if err := b.score(ctx, p, j.output, made); err != nil {
			return err
		}
		if k == 0 || made.Figures[rnx] > r.Figures[rnx] {
			*r = *made
			if err := os.Rename(j.output, output); err != nil {
				return err
			}
		}
	}
	return nil
}

// methods returns the methods of this run.
func (b *bench) methods() []method {
	all := methods()
	if b.quick {
		all = contest(byDefault)
	}
	return append(all, b.tried...)
}

// seedsOf returns the number of seeds of a method; one for trials.
func (b *bench) seedsOf(m method) int {
	if b.quick || m.tried() {
		return 1
	}
	return seedCount
}

// seedMark separates the seed in the names of maps of seeds beyond the first, whose times are not
// shown.
const seedMark = "@"

// mapName names the measurement of a data set's map.
func mapName(set, method string, seed int) string {
	if seed == 1 {
		return set + "/" + method
	}
	return fmt.Sprintf("%s/%s"+seedMark+"%d", set, method, seed)
}

func (b *bench) mapFile(set, method string) string { return b.file("maps", set, method+".npy") }

// Ranks are those of ten neighbours. Up to allPoints points all are ranked, for more a sample.
// -quick always uses a sample.
const (
	rankNeighbors = 10
	allPoints     = 12_000
	samplePoints  = 2_000
)

// scores is the needed part of the output of `unfold score --json`.
type scores struct {
	Labelled *struct {
		Accuracy []float64 `json:"accuracy"`
		Points   int       `json:"points"`
	} `json:"leave_one_out"`
	HeldOut *struct {
		Error []float64 `json:"error"`
	} `json:"held_out"`
	Data *struct {
		structureScores
		RecallK []int            `json:"recall_k"`
		Error   *structureScores `json:"standard_error"`
	} `json:"structure"`
	Targets *struct {
		Error [][]float64 `json:"error"`
	} `json:"regression"`
	Truth *struct {
		Spearman float64 `json:"spearman"`
		Error    float64 `json:"standard_error"`
	} `json:"truth"`
}

// structureScores are figures of the data's structure, or their standard errors.
type structureScores struct {
	Trustworthiness, Continuity, Shepard, Triplets float64
	RNX                                            float64   `json:"rnx_auc"`
	Density                                        *float64  `json:"density"`
	RecallAt                                       []float64 `json:"recall_at"`
	Centroids                                      *float64
}

func (b *bench) scores(ctx context.Context, args ...string) (*scores, error) {
	text, err := b.command(ctx, b.unfold, append([]string{"score", "-q", "--json", "--neighbors", "1,9"}, args...)...)
	if err != nil {
		return nil, err
	}
	s := new(scores)
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("unfold score printed %q: %w", text, err)
	}
	return s, nil
}

// score measures a map of a data set.
func (b *bench) score(ctx context.Context, p *prepared, path string, r *result) error {
	sample := samplePoints
	if !b.quick && p.Rows <= allPoints && !p.sampled {
		sample = 0
	}
	args := []string{path, "--beside", p.beside, "--data", p.raw, "--rank", strconv.Itoa(rankNeighbors), "--sample", strconv.Itoa(sample)}
	args = append(args, metricFlag(p.metric)...)
	if len(p.targets) > 0 {
		args = append(args, "--target", strings.Join(p.targets, ","))
	}
	if len(p.truth) > 0 {
		args = append(args, "--truth", strings.Join(p.truth, ","))
	}
	s, err := b.scores(ctx, args...)
	if err != nil {
		return err
	}
	return s.into(r, p.unknown)
}

// into stores the figures with their standard errors. Figures of neighbours are omitted if nothing
// is known about the rows. Errors of several targets are averaged.
func (s *scores) into(r *result, unknown bool) error {
	if s.Data == nil {
		return errors.New("unfold score reports nothing of the data")
	}
	s.Data.into(r.Figures, s.Data.RecallK)
	if s.Data.Error != nil {
		s.Data.Error.into(r.Errors, s.Data.RecallK)
	}
	if s.Truth != nil {
		r.Figures[truth], r.Errors[truth] = s.Truth.Spearman, s.Truth.Error
	}
	switch {
	case unknown:
	case s.Targets != nil:
		for _, e := range s.Targets.Error {
			r.Figures[nn1] += e[0] / float64(len(s.Targets.Error))
			r.Figures[nn9] += e[1] / float64(len(s.Targets.Error))
		}
	case s.Labelled != nil:
		for i, key := range []string{nn1, nn9} {
			share := s.Labelled.Accuracy[i]
			r.Figures[key], r.Errors[key] = share, math.Sqrt(share*(1-share)/float64(s.Labelled.Points))
		}
	default:
		return errors.New("unfold score reports nothing of neighbours")
	}
	return nil
}

// recalls are the figures' names by number of neighbours.
var recalls = map[int]string{10: recall10, 30: recall30, 100: recall100}

func (s structureScores) into(f map[string]float64, recallK []int) {
	f[trust], f[cont], f[shepard], f[triplets], f[rnx] = s.Trustworthiness, s.Continuity, s.Shepard, s.Triplets, s.RNX
	for i, k := range recallK {
		if key := recalls[k]; key != "" && i < len(s.RecallAt) {
			f[key] = s.RecallAt[i]
		}
	}
	if s.Density != nil {
		f[density] = *s.Density
	}
	if s.Centroids != nil {
		f[centroids] = *s.Centroids
	}
}
