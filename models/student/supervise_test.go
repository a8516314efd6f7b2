package student

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/novelty"
	"unfold/models/placing"
	"unfold/models/points"
	"unfold/models/score"
)

// TestLabelWeights: the weights follow H24 and have the mean 1. Where labels carry no information,
// they are the weights of the ranks.
func TestLabelWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, s := rapid.IntRange(1, 20).Draw(t, "k"), rapid.Float64Range(0, 1).Draw(t, "s")
		w := edgeWeights{
			rank: nearWeights(k, rapid.Float64Range(0, 2).Draw(t, "p")), supervision: s,
			class: rapid.SliceOfN(rapid.Int32Range(score.Missing, 2), k+1, k+1).Draw(t, "classes"),
		}
		to := make([]int32, k)
		for m := range to {
			to[m] = int32(m + 1)
		}
		got := make([]float64, k)
		for m := range got {
			got[m] = w.edge(0, to, m)
		}
		var want, all []float64
		var sum, total float64
		unlike := 0
		for m, j := range to {
			b := 1.
			if w.class[0] != score.Missing && w.class[j] != score.Missing && w.class[j] != w.class[0] {
				b = 1 - s
				unlike++
			}
			want = append(want, w.rank[m]*b)
			sum += want[m]
			total += got[m]
		}
		if math.Abs(total-float64(k)) > 1e-9*float64(k) {
			t.Fatalf("%d edges weigh %g", k, total)
		}
		if all = w.rank; unlike == 0 || unlike == k {
			if !slices.Equal(got, all) {
				t.Fatalf("labels say nothing, and weights are %v, want %v", got, all)
			}
			return
		}
		for m := range want {
			if want[m] *= float64(k) / sum; math.Abs(got[m]-want[m]) > 1e-9*float64(k) {
				t.Fatalf("rank %d weighs %g, want %g", m+1, got[m], want[m])
			}
		}
	})
}

// halves returns rows of two overlapping classes, and their classes.
func halves(n int, seed uint64) (vec.Matrix[float32], []int32) {
	r := rand.New(rand.NewPCG(seed, 8))
	x, class := vec.New[float32](n, 6), make([]int32, n)
	for i := range n {
		class[i] = int32(i % 2)
		for c := range x.Row(i) {
			x.Row(i)[c] = float32(r.NormFloat64() + 0.9*float64(class[i]))
		}
	}
	return x, class
}

// words returns classes as labels.
func words(class []int32) []string {
	out := make([]string, len(class))
	for i, c := range class {
		out[i] = []string{"even", "odd"}[c]
	}
	return out
}

// judged learns a map with labels. It returns the share of its rows whose class is that of most of
// their nine nearest rows, and the same share for other rows placed on the map.
func judged(t *testing.T, x vec.Matrix[float32], class []int32, labels []string, supervision float64, other vec.Matrix[float32], otherClass []int32) (r *Result, own, placed float64) {
	t.Helper()
	ctx := context.Background()
	s := Settings{Common: models.Common{Seed: 1, Steps: 100, Lists: novelty.DefaultK, Labels: labels}, Options: Options{Supervision: supervision}}
	r, err := Fit(ctx, x, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	snap, _, err := points.Snapshot(r.Result, points.Kind, x, r.Settings.Common, novelty.DefaultK)
	if err != nil {
		t.Fatal(err)
	}
	snap.Student, snap.Version, snap.Epoch = r.Student, 1, 1
	p, err := NewPlacer(snap, placing.Options{RankDecay: r.Settings.RankDecay})
	if err != nil {
		t.Fatal(err)
	}
	at, err := p.Place(ctx, other)
	if err != nil {
		t.Fatal(err)
	}
	mu := vec.Convert[float32](r.Mu)
	a, err := score.LeaveOneOut(ctx, mu, class, []int{9}, score.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := score.HeldOutError(ctx, mu, class, at.Mu, otherClass, []int{9}, score.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return r, a.Share[0], 1 - e[0]
}

// TestLabelsShapeTheMap: labels separate overlapping classes, more so with a larger share. Shuffled
// labels do not help to classify other rows.
func TestLabelsShapeTheMap(t *testing.T) {
	x, class := halves(800, 1)
	other, otherClass := halves(800, 2)
	none, own, placed := judged(t, x, class, nil, 0, other, otherClass)
	if none.Labels != nil {
		t.Errorf("a map without labels keeps %d", len(none.Labels))
	}
	much, ownMuch, placedMuch := judged(t, x, class, words(class), .9, other, otherClass)
	_, ownWhole, placedWhole := judged(t, x, class, words(class), 1, other, otherClass)
	t.Logf("right: %.3f of the rows, %.3f of others; by labels, at 0.9, %.3f and %.3f, at 1 %.3f and %.3f", own, placed, ownMuch, placedMuch, ownWhole, placedWhole)
	if ownMuch < own+.01 || ownWhole < ownMuch+.01 {
		t.Errorf("the classes of %.3f of the rows are right, with labels at 0.9 %.3f, at 1 %.3f", own, ownMuch, ownWhole)
	}
	if !slices.Equal(much.Labels, words(class)) || much.Settings.Labels != nil {
		t.Error("the map does not keep the labels, or its settings do")
	}
	shuffled := words(class)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for _, s := range []float64{.5, 1} {
		// .035 is at least two standard errors of the difference of two such shares.
		if _, _, got := judged(t, x, class, shuffled, s, other, otherClass); got > placed+.035 {
			t.Errorf("with shuffled labels, at %v, the classes of %.3f of other rows are right, without labels of %.3f", s, got, placed)
		}
	}
	again, _, _ := judged(t, x, class, make([]string, x.Rows), 1, other, otherClass)
	if !slices.Equal(again.Mu.Data, none.Mu.Data) {
		t.Error("a map by labels of no row is another than a map without")
	}
}

// TestLabelsThatDoNotFit: labels that do not fit the rows are bad input.
func TestLabelsThatDoNotFit(t *testing.T) {
	x, class := halves(60, 1)
	for name, labels := range map[string][]string{"none": nil, "fewer": words(class)[1:]} {
		s := Settings{Common: models.Common{Labels: labels}, Options: Options{Supervision: .5}}
		if _, err := Fit(context.Background(), x, s, nil); !models.IsBadInput(err) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
