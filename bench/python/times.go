package main

import (
	"context"
	"path/filepath"
	"strconv"
	"time"

	"unfold/internal/quantile"
)

// Times are the times of the package and of umap-learn for the same rows.
type Times struct {
	Day    time.Time
	Others float64 // the largest share of the processors used by other processes
	Sets   []TimedSet
}

// TimedSet is a set of rows, fitted and placed by both, each several times in turns.
type TimedSet struct {
	Key, Name    string
	Unfold, UMAP []Timed
	// The targets for umap-learn's time over ours, 0 if there are none.
	ColdWanted, WarmWanted float64
}

// ratios returns the time of umap-learn over ours of cold and warm fits, by wall-clock and by
// processor time.
func (s TimedSet) ratios() (cold, warm, coldCPU, warmCPU float64) {
	u, m := medians(s.UMAP), medians(s.Unfold)
	return u.ColdFit / m.ColdFit, u.WarmFit / m.WarmFit, u.ColdFitCPU / m.ColdFitCPU, u.WarmFitCPU / m.WarmFitCPU
}

// Timed are the time and the memory of one process of one library, in seconds and bytes.
type Timed struct {
	Rows int
	Dim  int
	// A cold fit includes the start of the process, and the first placing follows it. Warm ones are
	// the second of each in the same process.
	ColdFit       float64 `json:"cold_fit"`
	ColdTransform float64 `json:"cold_transform"`
	WarmFit       float64 `json:"warm_fit"`
	WarmTransform float64 `json:"warm_transform"`
	ColdFitCPU    float64 `json:"cold_fit_cpu"` // of this process and its child
	WarmFitCPU    float64 `json:"warm_fit_cpu"`
	Memory        float64 // of the Python process
	Child         float64 // of the program's process, 0 if there is none
}

// medians returns the median of each figure of several processes.
func medians(all []Timed) Timed {
	if len(all) == 0 {
		return Timed{}
	}
	of := func(figure func(Timed) float64) float64 {
		values := make([]float64, len(all))
		for i, t := range all {
			values[i] = figure(t)
		}
		return quantile.Median(values)
	}
	return Timed{
		Rows: all[0].Rows, Dim: all[0].Dim,
		ColdFit: of(func(t Timed) float64 { return t.ColdFit }), WarmFit: of(func(t Timed) float64 { return t.WarmFit }),
		ColdTransform: of(func(t Timed) float64 { return t.ColdTransform }), WarmTransform: of(func(t Timed) float64 { return t.WarmTransform }),
		ColdFitCPU: of(func(t Timed) float64 { return t.ColdFitCPU }), WarmFitCPU: of(func(t Timed) float64 { return t.WarmFitCPU }),
		Memory: of(func(t Timed) float64 { return t.Memory }), Child: of(func(t Timed) float64 { return t.Child }),
	}
}

// rows writes the rows of times and clusters.
func (l *lab) rows(ctx context.Context) error {
	args := []string{"data", l.out, filepath.Join(l.data, "mnist")}
	if l.small {
		args = append(args, "small")
	}
	_, err := l.python(ctx, timesProgram, nil, args...)
	return err
}

func (l *lab) times(ctx context.Context) (*Times, error) {
	if err := l.rows(ctx); err != nil {
		return nil, err
	}
	const parts = "principal components of them"
	t := &Times{Day: time.Now(), Sets: []TimedSet{
		{Key: "images", Name: "MNIST's images"},
		{Key: "parts-1000", Name: parts, ColdWanted: 25, WarmWanted: 4},
		{Key: "parts-5000", Name: parts, ColdWanted: 30, WarmWanted: 6},
		{Key: "parts-20000", Name: parts, ColdWanted: 10, WarmWanted: 4},
	}}
	for range l.rounds {
		for i := range t.Sets {
			s := &t.Sets[i]
			for _, by := range []struct {
				who string
				to  *[]Timed
			}{{"unfold", &s.Unfold}, {"umap", &s.UMAP}} {
				l.say("%s by %s", s.Name, by.who)
				var one Timed
				began := strconv.FormatFloat(float64(time.Now().UnixNano())/1e9, 'f', 6, 64)
				u, err := l.python(ctx, timesProgram, &one, "fit", by.who, l.out, s.Key, strconv.Itoa(l.threads), began)
				if err != nil {
					return nil, err
				}
				*by.to = append(*by.to, one)
				t.Others = max(t.Others, u.Others)
			}
		}
	}
	return t, nil
}
