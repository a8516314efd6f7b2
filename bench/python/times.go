package main

import (
	"context"
	"path/filepath"
	"strconv"
	"time"
)

// Times are the times of the package and of umap-learn for the same rows.
type Times struct {
	Day    time.Time
	Others float64 // the largest share of the processors used by other processes
	Sets   []TimedSet
}

// TimedSet is a set of rows, fitted and placed by both.
type TimedSet struct {
	Key, Name    string
	Unfold, UMAP Timed
}

// Timed are the time and the memory of one library, in seconds and bytes: the least of several
// processes.
type Timed struct {
	Rows int
	Dim  int
	// A cold fit includes the start of the process, and the first placing follows it. Warm ones are
	// the second of each in the same process.
	ColdFit       float64 `json:"cold_fit"`
	ColdTransform float64 `json:"cold_transform"`
	WarmFit       float64 `json:"warm_fit"`
	WarmTransform float64 `json:"warm_transform"`
	Memory        float64 // of the Python process
	Child         float64 // of the program's process, 0 if there is none
}

// least takes the lesser value of each figure.
func (t *Timed) least(o Timed) {
	if t.Rows == 0 {
		*t = o
		return
	}
	t.ColdFit, t.ColdTransform = min(t.ColdFit, o.ColdFit), min(t.ColdTransform, o.ColdTransform)
	t.WarmFit, t.WarmTransform = min(t.WarmFit, o.WarmFit), min(t.WarmTransform, o.WarmTransform)
	t.Memory, t.Child = min(t.Memory, o.Memory), min(t.Child, o.Child)
}

func (l *lab) times(ctx context.Context) (*Times, error) {
	args := []string{"data", l.out, filepath.Join(l.data, "mnist")}
	if l.small {
		args = append(args, "small")
	}
	if _, err := l.python(ctx, timesProgram, nil, args...); err != nil {
		return nil, err
	}
	t := &Times{Day: time.Now(), Sets: []TimedSet{{Key: "images", Name: "MNIST's images"}, {Key: "parts", Name: "principal components of them"}}}
	for range l.rounds {
		for i := range t.Sets {
			s := &t.Sets[i]
			for _, by := range []struct {
				who string
				to  *Timed
			}{{"unfold", &s.Unfold}, {"umap", &s.UMAP}} {
				l.say("%s by %s", s.Name, by.who)
				var one Timed
				began := strconv.FormatFloat(float64(time.Now().UnixNano())/1e9, 'f', 6, 64)
				u, err := l.python(ctx, timesProgram, &one, "fit", by.who, l.out, s.Key, strconv.Itoa(l.threads), began)
				if err != nil {
					return nil, err
				}
				by.to.least(one)
				t.Others = max(t.Others, u.Others)
			}
		}
	}
	return t, nil
}
