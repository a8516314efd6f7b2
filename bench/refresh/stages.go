package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"

	"unfold/bench/internal/sheet"
	"unfold/internal/vec"
	"unfold/models/live"
	"unfold/stream/streamtest/conformance"
)

// youngStage compares a stage after a course of events with fits.
type youngStage struct {
	Set, Course    string
	Apart, HeldOut bool
	Marks          []conformance.Mark
	// Steady and Leap are the largest moves of points that stayed, by quantile, and the numbers of
	// refreshes.
	Steady, Leap   [3]float64
	Steadys, Leaps int
}

// otherFits is the number of fits that show how far two fits of the same points differ.
const otherFits = 2

// pictured are the numbers of points at which maps are drawn.
var pictured = []int{1000, 3000, 10_000}

// stages runs stages through the courses of package conformance, with a broker in this process, and
// draws their maps next to those of fits.
func (l *lab) stages(ctx context.Context, o *outcome) error {
	if _, err := os.Stat(l.program); err != nil {
		return fmt.Errorf("the program to run stages of: %w; build it (make build), or name it by -unfold", err)
	}
	sets, courses, err := l.conform(ctx)
	if err != nil {
		return err
	}
	o.Data = "Events of several kinds"
	var panels []sheet.Panel
	for _, set := range sets {
		drawn := make([][]sheet.Panel, len(pictured))
		for _, c := range courses {
			c.Again = otherFits
			y, outcome, err := l.stage(ctx, set, c)
			if err != nil {
				return err
			}
			o.Young = append(o.Young, y)
			for _, m := range outcome.Marks {
				for k, n := range pictured {
					// A set may have slightly fewer events.
					if drawn[k] == nil && m.Points == m.Events && m.Points <= n && 10*m.Points >= 9*n {
						drawn[k] = beside(m)
					}
				}
			}
		}
		for _, pair := range drawn {
			if pair == nil {
				empty := sheet.Panel{X: vec.New[float32](1, 2)}
				pair = []sheet.Panel{empty, empty}
			}
			panels = append(panels, pair...)
		}
	}
	return sheet.Panels(filepath.Join(l.out, youngPicture), sheet.Figure{Across: 2 * len(pictured), Side: 150, Colours: sheet.Classes}, panels)
}

// youngPicture is the file of the drawn maps, in the folder of results and next to the page.
const youngPicture = "young.png"

// conform returns the comparisons. A run on toy data has a few events of one kind.
func (l *lab) conform(ctx context.Context) (sets []*conformance.Set, courses []conformance.Course, err error) {
	if l.dir == "" {
		return []*conformance.Set{conformance.Blobs(300, 8)}, []conformance.Course{
			{Name: "toy", Min: 100, Phases: []conformance.Phase{{To: 100}, {To: 150, Restart: true}, {To: 300, Mark: true}, {To: 300, Halve: true, Mark: true}}},
		}, nil
	}
	const n = 10_000
	sets = []*conformance.Set{conformance.Readme(n), conformance.Blobs(n, 8), conformance.Blobs(n, 32), conformance.Blobs(n, 64)}
	for _, load := range []func() (*conformance.Set, error){
		func() (*conformance.Set, error) { return conformance.Digits(ctx, filepath.Join(l.dir, "mnist")) },
		func() (*conformance.Set, error) { return conformance.Glosses(ctx, filepath.Join(l.dir, "glosses")) },
		func() (*conformance.Set, error) {
			return conformance.Connections(ctx, filepath.Join("testdata", "kdd", "kdd.csv.gz"))
		},
		func() (*conformance.Set, error) { return conformance.Envelopes(ctx, filepath.Join(l.dir, "usps")) },
	} {
		s, err := load()
		if err != nil {
			return nil, nil, err
		}
		sets = append(sets, s.First(n))
	}
	return sets, conformance.Courses(), nil
}

// stage runs a stage through a course, in its own folder.
func (l *lab) stage(ctx context.Context, set *conformance.Set, c conformance.Course) (y youngStage, o *conformance.Outcome, err error) {
	folder, err := os.MkdirTemp("", "refresh")
	if err != nil {
		return y, nil, err
	}
	defer os.RemoveAll(folder)
	run := func(ctx context.Context, log io.Writer, args ...string) error {
		cmd := exec.CommandContext(ctx, l.program, args...)
		cmd.Stdout, cmd.Stderr = log, log
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		if err := cmd.Run(); err != nil && (ctx.Err() == nil || cmd.ProcessState.ExitCode() != 0) {
			return err
		}
		return nil
	}
	if o, err = c.Follow(ctx, run, set, folder); err != nil {
		return y, nil, err
	}
	steady, leap := o.Moves()
	y = youngStage{
		Set: set.Name, Course: c.Name, Apart: set.Apart, HeldOut: set.HeldOut, Marks: o.Marks,
		Steady: conformance.Worst(steady), Leap: conformance.Worst(leap), Steadys: len(steady), Leaps: len(leap),
	}
	for _, m := range o.Marks {
		l.say("%s, %s, %d points: stage %.4f, fit %.4f", set.Name, c.Name, m.Points, m.Stage, m.Fit)
	}
	return y, o, nil
}

// beside returns the panels of a mark: the map of the fit, aligned with the stage's, and the
// stage's.
func beside(m conformance.Mark) []sheet.Panel {
	at, fitted := vec.Convert[float64](m.At), vec.Convert[float64](m.Fitted)
	scaled := fitted.Clone()
	vec.Scale(live.Diameter(at)/math.Max(live.Diameter(fitted), 1e-9), scaled.Data)
	live.Align(scaled, scaled.Clone(), at)
	return []sheet.Panel{{X: vec.Convert[float32](scaled), Class: m.Group}, {X: m.At, Class: m.Group}}
}

// stagesOf writes the section's tables.
func (o *outcome) stagesOf(w *bytes.Buffer) {
	w.WriteString("| events | held out | stage | points | 1-NN, stage | fit | fits differ by | trustworthiness, stage | fit | fits differ by | R_NX, stage | fit | fits differ by | a fit from another, median / p90 / p99 |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, y := range o.Young {
		for _, m := range y.Marks {
			points := fmt.Sprint(m.Points)
			if m.Points != m.Events {
				points += fmt.Sprintf(" of %d", m.Events)
			}
			apart := m.Spread()
			fmt.Fprintf(w, "| %s | %s | %s | %s | %.4f | %.4f | %.4f | %.4f | %.4f | %.4f | %.4f | %.4f | %.4f | %.2f / %.2f / %.2f%% |\n", y.Set, map[bool]string{true: "yes", false: ""}[y.HeldOut], y.Course, points,
				m.Stage.Nearest, m.Fit.Nearest, apart.Nearest, m.Stage.Trust, m.Fit.Trust, apart.Trust, m.Stage.RNX, m.Fit.RNX, apart.RNX,
				m.Moves.Median, m.Moves.P90, m.Moves.P99)
		}
	}
	w.WriteString("\nThe largest moves of points that stayed, in any refresh, median / p90 / p99. In a leap at least a third of the points are new or gone.\n\n" +
		"| events | stage | refreshes | moves | leaps | moves |\n|---|---|---|---|---|---|\n")
	moves := func(n int, m [3]float64) string {
		if n == 0 {
			return "0 | "
		}
		return fmt.Sprintf("%d | %.2f / %.2f / %.2f%%", n, m[0], m[1], m[2])
	}
	for _, y := range o.Young {
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", y.Set, y.Course, moves(y.Steadys, y.Steady), moves(y.Leaps, y.Leap))
	}
	w.WriteString("\n")
}

// youngTargets adds the targets of stages compared with fits: the worst of all courses.
func youngTargets(add func(name string, b target, value func(o *outcome) float64)) {
	worst := func(of func(y youngStage, m conformance.Mark) float64) func(o *outcome) float64 {
		return func(o *outcome) float64 {
			w := math.Inf(-1)
			for _, y := range o.Young {
				for _, m := range y.Marks {
					w = math.Max(w, of(y, m))
				}
			}
			return w
		}
	}
	only := func(apart bool) func(y youngStage, m conformance.Mark) float64 {
		return func(y youngStage, m conformance.Mark) float64 {
			if y.Apart != apart {
				return math.Inf(-1)
			}
			return m.Less().Nearest
		}
	}
	add(young, target{what: "1-NN of README's events and blobs, below a fit's, worst", bound: conformance.MostLessApart.Nearest, format: "%.4f"}, worst(only(true)))
	add(young, target{what: "1-NN of other events, below a fit's, worst", bound: conformance.MostLess.Nearest, format: "%.4f"}, worst(only(false)))
	for _, held := range []bool{false, true} {
		name := map[bool]string{false: "where constants were chosen", true: "held out"}[held]
		of := func(f func(l conformance.Figures) float64) func(o *outcome) float64 {
			return worst(func(y youngStage, m conformance.Mark) float64 {
				if y.HeldOut != held {
					return math.Inf(-1)
				}
				return f(m.Less())
			})
		}
		add(young, target{what: "trustworthiness below a fit's, worst, " + name, bound: conformance.MostLess.Trust, format: "%.4f"}, of(func(l conformance.Figures) float64 { return l.Trust }))
		add(young, target{what: "R_NX below a fit's, worst, " + name, bound: conformance.MostLess.RNX, format: "%.4f"}, of(func(l conformance.Figures) float64 { return l.RNX }))
	}
	for _, c := range []struct {
		what   string
		bounds [3]float64
		of     func(y youngStage) [3]float64
	}{
		{"moves of survivors, ", conformance.SteadyMoves, func(y youngStage) [3]float64 { return y.Steady }},
		{"moves of survivors in a leap, ", conformance.LeapMoves, func(y youngStage) [3]float64 { return y.Leap }},
	} {
		for q, bound := range c.bounds {
			add(young, target{what: c.what + quantiles[q] + ", worst, of the diameter", bound: bound, format: "%.2f", unit: "%"},
				worst(func(y youngStage, _ conformance.Mark) float64 { return c.of(y)[q] }))
		}
	}
}

// keepPicture copies the picture of maps from the folder of results to the folder of the page, and
// references it there.
func (o *options) keepPicture(w *bytes.Buffer, folder string) error {
	drawn, err := os.ReadFile(filepath.Join(o.out, youngPicture))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, youngPicture), drawn, 0o666); err != nil {
		return err
	}
	fmt.Fprintf(w, "![maps of fits and of stages](%s/%s)\n\nMaps of the events in the order of the table, a row each; the colour is the group. Each pair has a fit and the stage, of %d, %d and %d points.\n",
		filepath.Base(folder), youngPicture, pictured[0], pictured[1], pictured[2])
	return nil
}
