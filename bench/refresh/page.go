package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"unfold/bench/internal/harness"
	"unfold/models/live"
)

// write makes the page and its plots from the existing results.
func (o *options) write() ([]target, error) {
	all, err := o.results()
	if err != nil {
		return nil, err
	}
	folder := strings.TrimSuffix(o.page, ".md")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	old, err := readEarlier(o.page)
	if err != nil {
		return nil, err
	}
	list := targets(all)
	old.take(list)
	var w bytes.Buffer
	o.head(&w, all, list)
	for _, detail := range []bool{false, true} {
		if detail {
			w.WriteString(harness.Details + "## Targets\n\n")
			writeLines(&w, list, func(string) bool { return true })
		}
		for _, s := range scenarios() {
			if slices.Contains(shown, s.name) == detail {
				continue
			}
			if err := o.section(&w, s.name, all[s.name], old, folder); err != nil {
				return nil, err
			}
		}
	}
	return list, harness.WritePage(o.page, w.Bytes())
}

// shown are the scenarios on the page itself; the others are among its tables.
var shown = []string{stationary, inOrder, serving, restart}

// section writes the section of a scenario, from its results or, without them, from the earlier page.
func (o *options) section(w *bytes.Buffer, name string, r *outcome, old *earlier, folder string) error {
	heading := capital(name)
	if r == nil {
		if text := old.section(heading); text != "" {
			fmt.Fprintf(w, "## %s\n\n%s\n\n", heading, text)
		}
		return nil
	}
	fmt.Fprintf(w, "## %s\n\n%s %s, %s.\n\n%s\n\n", heading, runOf, r.Run, r.Environment, r.story())
	r.tables(w)
	for _, p := range r.plots() {
		plot := name + "-" + p.name + ".svg"
		if err := os.WriteFile(filepath.Join(folder, plot), p.svg(), 0o666); err != nil {
			return err
		}
		fmt.Fprintf(w, "![%s](%s/%s)\n", p.title, filepath.Base(folder), plot)
	}
	if name == young {
		if err := o.keepPicture(w, folder); err != nil {
			return err
		}
	}
	w.WriteString("\n")
	return nil
}

// runOf is the prefix of the line of a section that names its run.
const runOf = "Run"

// where describes the machine of a run.
func (o *options) where() string {
	return fmt.Sprintf("on %d cores, %s/%s, %s, with %d threads", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), o.threads)
}

// tables writes the tables of a scenario.
func (o *outcome) tables(w *bytes.Buffer) {
	switch {
	case o.Stream != nil:
		o.Stream.judged(w)
	case len(o.Marks) > 0:
		o.judged(w)
		o.refreshes(w)
	case o.Scenario == serving:
		o.times(w)
	case o.Scenario == young:
		o.stagesOf(w)
	}
	if len(o.Graphs) > 0 {
		o.graphsOf(w)
	}
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// head is the page's beginning with the table of targets.
func (o *options) head(w *bytes.Buffer, all map[string]*outcome, list []target) {
	var tried []string
	for _, s := range scenarios() {
		if r := all[s.name]; r != nil {
			tried = append(tried, r.Settings)
		}
	}
	slices.Sort(tried)
	tried = slices.Compact(tried)
	w.WriteString(`# A map that follows its stream

A refreshed map compared with one that is fitted again; ` + "`make refresh`" + ` writes this page. Package models/live explains a refresh.

`)
	if !slices.Equal(tried, []string{"{}"}) {
		fmt.Fprintf(w, "**Not with the default settings, but with %s.**\n\n", strings.Join(tried, ", "))
	}
	n := count(list)
	fmt.Fprintf(w, "%d of %d targets are met, %d are missed, %d are not measured. Those that are not met:\n\n", n[harness.Met], len(list), n[harness.Missed], n[harness.NotMeasured])
	writeLines(w, list, func(line string) bool { return verdictOf(line) != harness.Met })
}

// writeLines writes the table of those targets whose lines are wanted.
func writeLines(w *bytes.Buffer, list []target, wanted func(line string) bool) {
	w.WriteString("| stream | what | target | measured | |\n|---|---|---|---|---|\n")
	for _, b := range list {
		line := b.earlier
		if line == "" {
			line = fmt.Sprintf("| %s | %s | %s | %s | %s |", b.scenario, b.what, b.limit().String(), b.measured(), b.verdict())
		}
		if wanted(line) {
			w.WriteString(line + "\n")
		}
	}
	w.WriteString("\n")
}

// story describes the scenario.
func (o *outcome) story() string {
	set := fmt.Sprintf("%s, a reference set of %d points", o.Data, o.Size)
	switch o.Scenario {
	case stationary:
		return fmt.Sprintf("%s. Before every refresh %d random members are replaced by as many new rows.", set, o.Block)
	case growth:
		return fmt.Sprintf("%s that grows from a tenth of it, and is a reservoir over the stream when it is full. A refresh follows after as many new rows as a hundredth of the set.", set)
	case appears:
		return fmt.Sprintf("%s without one class. Then %d random members are replaced before every refresh by rows of all classes.", set, o.Block)
	case leaves:
		return fmt.Sprintf("%s, the newest of a stream from which one class vanishes; %d new rows a refresh. Of the places that the class had at the start, %.0f%% have a point within a hundredth of the diameter (of the others': %.0f%%), and after the major refresh %.0f%% (%.0f%%).",
			set, o.Block, 100*o.Figures[usedLate], 100*o.Figures[usedOthers], 100*o.Figures[againLate], 100*o.Figures[againOthers])
	case gaussian:
		return fmt.Sprintf("%s. The stationary stream with the paper's model (`model.tails: gaussian`): before every refresh %d random members are replaced by as many new rows. L uses landmarks with which neither map was learnt.", set, o.Block)
	case inOrder:
		return o.Stream.story(o.Size)
	case young:
		return "Stages with the settings of README's example, through a broker in the measuring process, compared with fits of the same points, by the vectors of the events.\n" +
			"The first map is of 2,000 points; `from 500` and `tenfold at once` set `reference.min` to 500 and 1,000, the last two `reference.size`. `from 2,000` has 3,000 points,\n" +
			"is stopped and started again on the way to 10,000, and then half of its events are deleted. `tenfold at once` grows from 1,000 to 10,000. Only `refresh.every` is 1 s, to\n" +
			"take less time. Constants of package models/live were chosen on README's events, blobs in 32 dimensions, digits and sentences; the other events are held out: no constant was\n" +
			fmt.Sprintf("chosen by them, but one bound was set after a look at them. The difference of fits is that of the largest and the smallest figure of the fit and %d others, with other seeds and orders\n"+
				"of the rows. The last column has the distances between the places of two of these, relative to the diameter.", otherFits)
	case serving:
		return fmt.Sprintf("%s under a window, in a learner (package stream/learn) that saves its state and leaves a core to placing. Messages of one event are placed one by one, alternately without a refresh and during one of %.0f refreshes (%.0f of them major), each after %d new rows. The time is from a message's bytes to its answer's.",
			set, o.Figures[refreshCount], o.Figures[majorCount], o.Block)
	case restart:
		return fmt.Sprintf("%s, hardly learnt. A learner stops and another one starts from its state folder, in the same process, %.0f times: %.2f s to the first answer (median), %.2f s at most. Of the answers to %.0f messages each time, %.0f differ from those before the stop in any bit.",
			set, o.Figures[startCount], o.Figures[startMiddle], o.Figures[startWorst], o.Figures[probeCount], o.Figures[differ])
	}
	return set + "."
}

// judged is the table of marks.
func (o *outcome) judged(w *bytes.Buffer) {
	w.WriteString("| | refreshes | map | 1-NN | 9-NN | trustworthiness | L a point | 9-NN of the class | pieces | 9-NN of the others |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, name := range []string{atStart, atFull, before, atEnd} {
		m, there := o.Marks[name]
		if !there {
			continue
		}
		for _, row := range []struct {
			name string
			q    quality
		}{{"live", m.Live}, {"fresh fit", m.Fresh}} {
			fmt.Fprintf(w, "| %s | %d | %s | %.4f | %.4f | %.4f | %.3f | %.4f | %d | %.4f |\n", marks[name], m.After, row.name,
				row.q.NN1, row.q.NN9, row.q.Trust, row.q.Loglik, row.q.Recall, row.q.Pieces, row.q.Others)
		}
	}
	w.WriteString("\n")
}

// refreshes writes the table of refreshes of each kind.
func (o *outcome) refreshes(w *bytes.Buffer) {
	w.WriteString("| refresh | how many | steps | moves, median / p90 / p99 | CPU s | of it changes | of a fit's |\n|---|---|---|---|---|---|---|\n")
	for _, k := range []live.Kind{live.Ordinary, live.Gentle, live.Major} {
		steps := o.kind(k)
		if len(steps) == 0 {
			continue
		}
		var m [3]float64
		for q := range m {
			m[q] = mean(steps, func(s step) float64 { return moves(s.Moves)[q] })
		}
		cpu := mean(steps, step.cpu)
		fmt.Fprintf(w, "| %v | %d | %.0f | %.2f / %.2f / %.2f%% | %.2f | %.2f | %.1f%% |\n", k, len(steps), mean(steps, func(s step) float64 { return float64(s.Steps) }),
			m[0], m[1], m[2], cpu, mean(steps, func(s step) float64 { return s.Change }), 100*cpu/o.fitCPU())
	}
	if a := o.alarms(); len(a) > 0 {
		fmt.Fprintf(w, "\nThe alarm was raised at refresh %s.\n", strings.Trim(fmt.Sprint(a), "[]"))
	}
	w.WriteString("\n")
}
