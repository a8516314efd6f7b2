package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maps makes and scores the maps of a data set by all methods.
func (b *bench) maps(ctx context.Context, p *prepared) error {
	all := slices.Concat(methods(), b.tried)
	for _, m := range all {
		when := b.when(m, p.name)
		if len(b.tried) > 0 && when == wanted {
			when = unwanted
			if m.tried() {
				when = anew
			}
		}
		j := job{input: p.input, output: b.mapFile(p.name, m.key), timed: !m.tried()}
		_, err := b.once(p.name+"/"+m.key, b.made(m, j, p), when, func(r *result) error {
			if err := b.make(ctx, m, j, r); err != nil {
				return err
			}
			return b.score(ctx, p, j.output, r)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) mapFile(set, method string) string { return b.file("maps", set, method+".npy") }

// Ranks are those of ten neighbours. Up to allPoints points all are ranked, of
// more a sample.
const (
	rankNeighbors = 10
	allPoints     = 12_000
	samplePoints  = 1_000
)

// scores is what `unfold score --json` prints, as far as it is needed here.
type scores struct {
	Labelled *struct {
		Accuracy []float64 `json:"accuracy"`
	} `json:"leave_one_out"`
	HeldOut *struct {
		Error []float64 `json:"error"`
	} `json:"held_out"`
	Data *struct {
		Trustworthiness, Continuity, Shepard, Triplets float64
		Centroids                                      *float64
	} `json:"structure"`
	Targets *struct {
		Error [][]float64 `json:"error"`
	} `json:"regression"`
	Truth *struct {
		Spearman float64 `json:"spearman"`
	} `json:"truth"`
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
	if p.Rows <= allPoints && !p.sampled {
		sample = 0
	}
	args := []string{path, "--beside", p.beside, "--data", p.raw, "--rank", strconv.Itoa(rankNeighbors), "--sample", strconv.Itoa(sample)}
	if !p.labelled() {
		args = append(args, "--target", strings.Join(p.targets, ","))
	}
	if len(p.truth) > 0 {
		args = append(args, "--truth", strings.Join(p.truth, ","))
	}
	s, err := b.scores(ctx, args...)
	if err != nil {
		return err
	}
	return s.into(r.Figures)
}

// into takes the figures over. Errors of several targets are averaged.
func (s *scores) into(f map[string]float64) error {
	if s.Data == nil {
		return fmt.Errorf("unfold score says nothing of the data")
	}
	f[trust], f[cont], f[shepard], f[triplets] = s.Data.Trustworthiness, s.Data.Continuity, s.Data.Shepard, s.Data.Triplets
	if s.Data.Centroids != nil {
		f[centroids] = *s.Data.Centroids
	}
	if s.Truth != nil {
		f[truth] = s.Truth.Spearman
	}
	switch {
	case s.Targets != nil:
		for _, e := range s.Targets.Error {
			f[nn1] += e[0] / float64(len(s.Targets.Error))
			f[nn9] += e[1] / float64(len(s.Targets.Error))
		}
	case s.Labelled != nil:
		f[nn1], f[nn9] = s.Labelled.Accuracy[0], s.Labelled.Accuracy[1]
	default:
		return fmt.Errorf("unfold score says nothing of neighbours")
	}
	return nil
}
