package learn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/stream/embed"
)

// large writes a state directory of n points in 50 dimensions, after hardly any learning: the
// measured times do not depend on the places.
func large(b *testing.B, n int) (Settings, func(rows int, offset int64) *embed.Events) {
	b.Helper()
	rng := rand.New(rand.NewPCG(81, 1))
	s := Settings{
		Spec: fit.Spec{PCA: fit.PCANone, Common: models.Common{Steps: 2, Seed: 1}}, Min: n, Size: n, State: b.TempDir(),
		RefreshEvery: time.Hour, Mapping: quick().Mapping,
	}
	l := newLearner(b, s)
	make := func(rows int, offset int64) *embed.Events {
		ids, x := make([]int64, rows), vec.New[float32](rows, 50)
		for i := range rows {
			ids[i] = 1000*offset + int64(i)
			c := rng.IntN(10)
			for k := range 50 {
				x.Row(i)[k] = float32(rng.NormFloat64() / float64(1+k/5))
			}
			x.Row(i)[c] += 8
		}
		return decode(b, l, batchOf(b, offset, ids, x)).(*embed.Events)
	}
	offset := int64(0)
	for ; int(offset)*1000 < n; offset++ {
		if err := l.Offer(context.Background(), make(1000, offset)); err != nil {
			b.Fatal(err)
		}
	}
	if err := l.first(context.Background()); err != nil {
		b.Fatal(err)
	}
	l.unsaved = true
	if err := l.saveReference(); err != nil {
		b.Fatal(err)
	}
	return s, make
}

// BenchmarkStart measures the time from opening the state directory to the first placed event.
func BenchmarkStart(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, make := large(b, n)
			e := make(1, int64(n))
			var size int64
			entries, _ := os.ReadDir(s.State)
			for _, f := range entries {
				if info, err := os.Stat(filepath.Join(s.State, f.Name())); err == nil {
					size += info.Size()
				}
			}
			for b.Loop() {
				l := newLearner(b, s)
				place(b, l.Current(), e)
			}
			b.ReportMetric(float64(size)/1e6, "MB")
		})
	}
}

// BenchmarkPlaceDuringRefresh measures the time to place one event, without a refresh and during
// one.
func BenchmarkPlaceDuringRefresh(b *testing.B) {
	s, make := large(b, 20_000)
	l := newLearner(b, s)
	if !l.resume(context.Background()) {
		b.Fatal("the map is not carried on")
	}
	var probes []*embed.Events
	for range 200 {
		probes = append(probes, make(1, 1<<30))
	}
	offset := int64(1 << 31)
	for _, during := range []bool{false, true} {
		b.Run(fmt.Sprint(map[bool]string{false: "still", true: "refreshing"}[during]), func(b *testing.B) {
			ctx, stop := context.WithCancel(context.Background())
			var learning sync.WaitGroup
			refreshes := 0
			if during {
				learning.Go(func() {
					for ctx.Err() == nil {
						if err := l.Offer(ctx, make(200, offset)); err != nil {
							b.Error(err)
						}
						offset++
						if err := l.refresh(ctx); err != nil && ctx.Err() == nil {
							b.Error(err)
						}
						refreshes++
					}
				})
			}
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				e := probes[i%len(probes)]
				begin := time.Now()
				place(b, l.Current(), e)
				took = append(took, time.Since(begin))
				time.Sleep(200 * time.Microsecond) // events come one by one
			}
			stop()
			learning.Wait()
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "us-p50")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "us-p99")
			b.ReportMetric(float64(refreshes), "refreshes")
			runtime.KeepAlive(l)
		})
	}
}

// BenchmarkSave measures the bytes written to disk for one version of a map of 100,000 points: the
// map, its index, and the reference set.
func BenchmarkSave(b *testing.B) {
	s, _ := large(b, 100_000)
	l := newLearner(b, s)
	for b.Loop() {
		l.unsaved = true
		if err := l.saveReference(); err != nil {
			b.Fatal(err)
		}
	}
	for name, content := range files(b, s.State) {
		b.ReportMetric(float64(len(content))/1e6, "MB-"+filepath.Ext(name)[1:])
	}
}

// BenchmarkRefresh measures a refresh of 20,000 points, 1% of them new, from the reference set to
// the published map. Every fifth is gentle.
func BenchmarkRefresh(b *testing.B) {
	s, make := large(b, 20_000)
	l := newLearner(b, s)
	if !l.resume(context.Background()) {
		b.Fatal("the map is not carried on")
	}
	for offset := int64(1 << 31); b.Loop(); offset++ {
		if err := l.Offer(context.Background(), make(200, offset)); err != nil {
			b.Fatal(err)
		}
		if err := l.refresh(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
