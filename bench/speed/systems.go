package main

import (
	"context"
	"fmt"
	"os"

	"unfold/coarse/farfield"
	"unfold/internal/vec"
	"unfold/models/student"
	"unfold/sparse/knn"
	"unfold/sparse/solve"
)

const (
	jacobiCG    = "scipy CG, diagonal"
	aggregation = "pyamg, smoothed aggregation"
	rugeStuben  = "pyamg, Ruge-Stuben"
	solving     = "all systems"
)

func systemsRow() row {
	return row{
		key: "systems", title: "Systems of EM",
		about: `Linear systems (Lap(W) + Gamma) X = B with two right-hand sides, one after the other, from learning MNIST in the plane: some of evenly spaced steps of the
default model (at its final weight of dissimilar pairs) and of the one with Gaussian tails. Each is solved from zero until the residual is 1 % of the
right-hand side, as with Gaussian tails (with heavy ones 10 % is enough), preconditioner included. pyamg's hierarchies precondition conjugate gradients.`,
		targets: []target{
			{what: "time, of the fastest peer's", value: ofFastest(solving, jacobiCG, aggregation, rugeStuben), bound: .2, format: "%.3f"},
		},
		measure: measureSystems,
	}
}

// system is one linear system.
type system struct {
	a *solve.Laplacian
	b vec.Matrix[float64]
}

// take copies a system out of a model's memory, in double precision, which the peers need.
func take(a *solve.Laplacian, b vec.Matrix[float64]) system {
	a = a.Wide()
	return system{&solve.Laplacian{W: a.W.Clone(), Diagonal: append([]float64(nil), a.Diagonal...)}, b.Clone()}
}

func measureSystems(ctx context.Context, b *bench, r *record) error {
	heavy, err := b.heavySystems(ctx, b.size(5, 2))
	if err != nil {
		return err
	}
	gauss, err := b.gaussianSystems(ctx, b.size(5, 2))
	if err != nil {
		return err
	}
	all := append(heavy, gauss...)
	r.note("%d systems of heavy tails, %d of Gaussian tails", len(heavy), len(gauss))
	var results []solve.Result
	err = b.timed(r, solving, func() error {
		results = results[:0]
		rows, cols := all[0].b.Rows, all[0].b.Cols
		cg, x := solve.NewCG(rows, cols, solve.Settings{Threads: b.threads, Tolerance: 1e-2}), vec.New[float64](rows, cols)
		for k, s := range all {
			clear(x.Data)
			res, err := cg.Solve(ctx, s.a, s.b, x)
			if err != nil {
				return err
			}
			if !res.Converged {
				return fmt.Errorf("system %d has not converged: %+v", k, res)
			}
			results = append(results, res)
		}
		return nil
	})
	if err != nil {
		return err
	}
	noteIterations(r, all, results)
	dir := b.file("systems")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for k, s := range all {
		if err := writeSystem(b.file("systems", fmt.Sprintf("%02d.npz", k)), s); err != nil {
			return err
		}
	}
	_, err = b.peer(ctx, r, "scipy, pyamg", "systems", dir)
	return err
}

// noteIterations records the iterations per system, and the memory traffic of one: entries and
// their columns once, and the vectors that the product and the step of package solve read and
// write.
func noteIterations(r *record, all []system, results []solve.Result) {
	const vectors, diagonals = 9, 4
	var iterations int
	var moved, took float64
	least, most := results[0].Iterations, 0
	for k, res := range results {
		n, d, entries := float64(all[k].b.Rows), float64(all[k].b.Cols), float64(all[k].a.W.NNZ())
		iterations += res.Iterations
		least, most = min(least, res.Iterations), max(most, res.Iterations)
		moved += float64(res.Iterations) * (12*entries + 8*n*(d*vectors+diagonals))
		took += res.Solve.Seconds()
	}
	r.note("unfold: %d to %d iterations, %d in all; in the last round %.2f ms an iteration for both right-hand sides, which reads and writes %.1f MB: %.0f GB/s",
		least, most, iterations, 1e3*took/float64(iterations), moved/float64(iterations)/1e6, moved/took/1e9)
}

// writeSystem writes a system for the peers: W by rows, the diagonal and the
// right-hand sides.
func writeSystem(path string, s system) error {
	w := s.a.W
	start := make([]int32, len(w.Start))
	for i, v := range w.Start {
		start[i] = int32(v)
	}
	return writeNPZ(path, array{"start", start, []int{len(start)}}, array{"index", w.Index, []int{len(w.Index)}},
		array{"data", w.Data, []int{len(w.Data)}}, array{"diagonal", s.a.Diagonal, []int{len(s.a.Diagonal)}},
		array{"b", s.b.Data, []int{s.b.Rows, s.b.Cols}})
}

// heavySystems learns MNIST with the default model and takes the systems of the states after the
// given steps.
func (b *bench) heavySystems(ctx context.Context, count int) ([]system, error) {
	d, err := b.images(ctx)
	if err != nil {
		return nil, err
	}
	const k = 6
	nb, err := knn.Graph(ctx, d.z, k, knn.Settings{Threads: b.threads})
	if err != nil {
		return nil, err
	}
	model := func() (*student.Model, error) {
		p := student.NewProblem(nb, k, student.Native)
		p.Field = farfield.NewCells(p.Bandwidth2, 2, farfield.CellSettings{Theta: farfield.DefaultTheta(2)})
		return student.NewModel(p, 2, student.ModelSettings{Single: true, Threads: b.threads})
	}
	m, err := model()
	if err != nil {
		return nil, err
	}
	st, err := student.Start(ctx, d.z, 2, student.StartSettings{Seed: 1, Threads: b.threads})
	if err != nil {
		return nil, err
	}
	var states []*student.State
	_, err = m.Learn(ctx, st, func(done, total int) {
		if done < total && len(states) < count && done >= len(states)*total/count {
			states = append(states, st.Clone())
		}
	})
	if err != nil {
		return nil, err
	}
	// Another model, so that taking systems does not disturb learning.
	other, err := model()
	if err != nil {
		return nil, err
	}
	var out []system
	for _, s := range states {
		out = append(out, take(other.Assemble(s)))
		other.Reset()
	}
	return out, nil
}

// gaussianSystems takes the first systems of the model with Gaussian tails; later ones change
// little.
func (b *bench) gaussianSystems(ctx context.Context, count int) ([]system, error) {
	const every, momentum = 40, .9
	m, st, err := b.gaussian(ctx, b.threads)
	if err != nil {
		return nil, err
	}
	var out []system
	for step := 0; len(out) < count; step++ {
		if step%every == 0 {
			out = append(out, take(m.Assemble(st)))
		}
		if _, err := m.Step(ctx, st, momentum); err != nil {
			return nil, err
		}
	}
	return out, nil
}
