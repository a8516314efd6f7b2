package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"unfold/internal/vec"
	"unfold/models/lvm"
)

// youngMarks are the numbers of refreshes after which young points are evaluated: half way to the
// backstop, and before it.
var youngMarks = []int{24, 49}

// young prints the quality of points that arrived since the fit, compared with older points and
// with a fresh fit of all, with and without further edges.
func (l *lab) young(ctx context.Context, w io.Writer) error {
	fmt.Fprintln(w, "| edges | refreshes | points | 1-NN, live | fresh | trustworthiness, live | fresh | L a point, live less fresh |\n|---|---|---|---|---|---|---|---|")
	for _, c := range []struct {
		name  string
		reach int
	}{{"further ones, too", 0}, {"near ones alone", -1}} {
		if err := l.youngOf(ctx, w, c.name, c.reach); err != nil {
			return err
		}
	}
	return nil
}

// youngOf is young with further edges up to a rank.
func (l *lab) youngOf(ctx context.Context, w io.Writer, name string, reach int) error {
	set := l.set
	set.LVM.Student.Reach = reach
	rows := make([]int32, l.size)
	for i := range rows {
		rows[i] = int32(i)
	}
	f, err := follow(ctx, l.d, rows, set, l.say)
	if err != nil {
		return err
	}
	rng, next, born := rand.New(rand.NewPCG(1, 0x1e)), int32(l.size), make([]bool, l.size)
	for step := 1; step <= slices.Max(youngMarks); step++ {
		out := rng.Perm(l.size)[:l.size/100]
		events := make([]int32, len(out))
		for e, o := range out {
			events[e], born[o] = next, true
			next++
		}
		if err := f.arrive(ctx, events, out); err != nil {
			return err
		}
		if err := f.refresh(ctx); err != nil {
			return err
		}
		if slices.Contains(youngMarks, step) {
			if err := f.printYoung(ctx, w, fmt.Sprintf("| %s | %d", name, step), set.LVM, born); err != nil {
				return err
			}
		}
	}
	return nil
}

// printYoung compares the present map with a fresh fit, of young points and of the others.
func (f *follower) printYoung(ctx context.Context, w io.Writer, title string, set lvm.Settings, born []bool) error {
	x := vec.Take(f.d.x, f.rows)
	r, err := lvm.Fit(ctx, x, set, nil)
	if err != nil {
		return err
	}
	l, err := likelihoodOf(ctx, x, r)
	if err != nil {
		return err
	}
	mine, _, err := f.state()
	if err != nil {
		return err
	}
	theirs := vec.Take(r.Mu, r.Of)
	var loglik [2]float64
	for k, mu := range []vec.Matrix[float64]{mine, theirs} {
		if loglik[k], err = l(vec.Take(mu, r.Unique), nil); err != nil {
			return err
		}
	}
	gain := (loglik[0] - loglik[1]) / float64(len(r.Unique))
	for _, of := range []bool{true, false} {
		a, b := f.fare(x, mine, born, of), f.fare(x, theirs, born, of)
		fmt.Fprintf(w, "%s | %d %s | %.4f | %.4f | %.4f | %.4f | %+.3f |\n", title, a.points, map[bool]string{true: "young", false: "old"}[of], a.nn1, b.nn1, a.trust, b.trust, gain)
	}
	return nil
}

// fares is the quality of some points on a map.
type fares struct {
	points     int
	nn1, trust float64
}

// fare returns 1-NN accuracy among all points, and trustworthiness with 10 neighbours, of the
// points with born equal to of.
func (f *follower) fare(x vec.Matrix[float32], mu vec.Matrix[float64], born []bool, of bool) (out fares) {
	const k = 10
	n, class := x.Rows, f.d.labels(f.rows)
	inData, onMap, order := make([]float64, n), make([]float64, n), make([]int32, n)
	for i := range n {
		if born[i] != of {
			continue
		}
		for j := range n {
			inData[j], onMap[j], order[j] = vec.SquaredDistance(x.Row(i), x.Row(j)), vec.SquaredDistance(mu.Row(i), mu.Row(j)), int32(j)
		}
		order = slices.DeleteFunc(order, func(j int32) bool { return int(j) == i })
		slices.SortStableFunc(order, func(a, b int32) int {
			switch {
			case onMap[a] < onMap[b]:
				return -1
			case onMap[a] > onMap[b]:
				return 1
			}
			return 0
		})
		out.points++
		if class[order[0]] == class[i] {
			out.nn1++
		}
		for _, j := range order[:k] {
			rank := 1
			for m, d := range inData {
				if m != i && d < inData[j] {
					rank++
				}
			}
			out.trust += float64(max(0, rank-k))
		}
		order = order[:n]
	}
	m := float64(out.points)
	out.nn1 /= m
	out.trust = 1 - 2*out.trust/(m*k*float64(2*n-3*k-1))
	return out
}
