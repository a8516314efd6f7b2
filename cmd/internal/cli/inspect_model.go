package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/logs"
	"unfold/cmd/internal/terminal"
	"unfold/ingest"
	"unfold/internal/quantile"
	"unfold/internal/regular"
	"unfold/models"
	"unfold/models/clusters/identity"
	"unfold/models/fit"
	"unfold/models/lvm"
	"unfold/models/snapshot"
	"unfold/stream/embed"
)

// isModel reports whether a file is a model, valid or damaged.
func isModel(path string) bool {
	f, err := regular.Open(path)
	if err != nil {
		return false // reported when it is opened as data; a pipe can be read only once
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() < 8 {
		return false // too short for a model
	}
	_, err = snapshot.ReadInfo(f)
	return !errors.Is(err, snapshot.ErrNotSnapshot)
}

// modelFile is a decoded model file.
type modelFile struct {
	path    string
	info    *snapshot.Info
	s       *snapshot.Snapshot
	spec    fit.Spec
	at      *embed.Map
	encoder *ingest.Encoder
	classes []string // classes that the model predicts
	groups  *identity.Groups
	// bridges are edges that connect otherwise separate parts, as pairs of points.
	bridges []models.Bridge
}

// openModel reads a model with all parts that other commands use.
func openModel(path string, kinds fit.Kinds) (*modelFile, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m := &modelFile{path: path}
	if m.info, err = snapshot.ReadInfo(f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if m.s, err = snapshot.ReadFile(path); err != nil {
		return nil, err
	}
	if m.spec, err = kinds.ParseSpec(m.s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	placing, err := embed.Open(m.s, embed.Settings{Files: true, Kinds: kinds})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if m.bridges, err = lvm.Bridges(m.s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m.at, m.encoder = placing, placing.Encoder()
	if c := placing.Classes(); c != nil {
		m.classes = c.Names
	}
	m.groups = placing.Clusters()
	return m, nil
}

// rows returns the number of rows that the reference points represent.
func (m *modelFile) rows() (n uint64) {
	for _, c := range m.s.Count {
		n += uint64(c)
	}
	return n
}

// describe prints the model's contents for people.
func (m *modelFile) describe(p *program) error {
	s, info := m.s, m.info
	p.printf("%s: a model, version %d of its map (epoch %d), %s, file format %d\n\n", m.path, s.Version, s.Epoch, humanize.Bytes(int64(info.Size)), info.Format)
	t := tabwriter.NewWriter(p.people(), 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, terminal.Name(fmt.Sprintf(format, args...)))
	}
	m.describeMap(line)
	m.describeModel(line)
	m.describeColumns(line)
	for _, at := range s.Positions {
		line("learnt up to", "%s", at)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	p.printf("\n")
	t = tabwriter.NewWriter(p.people(), 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "block\ttype\trows\tcolumns\tbytes\t")
	for _, b := range info.Blocks {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t\n", b.Name, b.Type, b.Rows, b.Cols, b.Length)
	}
	return t.Flush()
}

// liner prints a line of a description: a name and its value.
type liner = func(name, format string, args ...any)

// describeMap describes the map and its points.
func (m *modelFile) describeMap(line liner) {
	s := m.s
	line("map id", "%s", idOrNone(s.MapID))
	line("kind", "%s", s.Kind)
	line("map", "%d dimensions", s.Mu.Cols)
	if g := s.Graph; g != nil {
		line("graph", "%s, with bridges between its parts; weights are %v", humanize.Plural(g.Lengths.NNZ()/2, "edge"), g.Weights)
	} else {
		line("vectors", "%s%s", humanize.Plural(s.Dim, "value"), madeOf(m.encoder))
	}
	if e := m.encoder; e != nil && e.Metric() != ingest.Euclidean {
		line("metric", "%s", e.Metric())
	}
	if e := m.encoder; e != nil && e.Fills() {
		line("missing values", "become the means of their columns")
	}
	if m.spec.PCA == fit.PCANone && s.Components.Rows > 0 {
		line("projection", "onto %d columns that vary", s.Components.Rows)
	} else if s.Components.Rows > 0 {
		line("projection", "%d principal components", s.Components.Rows)
	}
	line("reference points", "%s, for %s", humanize.Count(s.Mu.Rows), humanize.Plural(m.rows(), "row"))
	if n := countTrue(s.Unlearnt); n > 0 {
		line("placed, not learnt", "%s", humanize.Count(n))
	}
}

// describeModel describes how the model was learnt.
func (m *modelFile) describeModel(line liner) {
	s, spec := m.s, m.spec
	if s.Kind != fit.LVM {
		for _, l := range spec.Kinds.Describe(s) {
			line(l.Name, "%s", l.Value)
		}
		line("learning", "%d iterations, seed %d", s.Steps, spec.Seed)
		return
	}
	inspectTails(line, s, spec.LVM)
	if n := len(m.bridges); n > 0 && s.Graph == nil {
		line("bridges", "%s otherwise separate parts: points %s", joins(n), describeBridges(m.bridges))
	}
	line("learning", "%d steps, seed %d", max(spec.Steps, 0), spec.Seed)
	if f, known := embed.StatsOf(s); known {
		line("stream", "%s learnt in %s%s", f.At.Format(time.DateTime), humanize.Span(f.Took), logs.Change(&f, f.Took))
	}
}

// describeBridges lists the ends of edges. It shortens long lists.
func describeBridges(bridges []models.Bridge) string {
	const most = 5
	var parts []string
	for _, b := range bridges[:min(most, len(bridges))] {
		parts = append(parts, fmt.Sprintf("%d and %d", b.Row, b.Other))
	}
	if len(bridges) > most {
		parts = append(parts, fmt.Sprintf("%s more", humanize.Count(len(bridges)-most)))
	}
	return strings.Join(parts, ", ")
}

// describeColumns describes the columns other than the vector's.
func (m *modelFile) describeColumns(line liner) {
	if m.encoder != nil {
		pick := m.encoder.Selection()
		for _, c := range []struct{ name, value string }{{"id", pick.ID}, {"label", pick.Label}, {"kept", strings.Join(pick.Keep, ", ")}} {
			if c.value != "" {
				line(c.name, "%s", c.value)
			}
		}
	}
	if m.classes != nil {
		line("classes", "%d told apart: %s", len(m.classes), strings.Join(m.classes, ", "))
	}
	if g := m.groups; g != nil {
		among := ""
		if g.OfRows() {
			among = " among the vectors"
		}
		line("clusters", "%s of at least %s%s, %.1f%% noise; the last id is %d", humanize.Plural(len(g.ID), "cluster"), humanize.Plural(g.Set.MinSize, "point"), among, 100*g.NoiseShare(), g.State.Last)
		for _, c := range g.State.Clusters {
			if c.Missing == 0 {
				line(fmt.Sprintf("  %d", c.ID), "%s", humanize.Plural(c.Size, "point"))
			}
		}
	}
}

// idOrNone returns the id of a map, or a phrase if it has none.
func idOrNone(id string) string {
	if id == "" {
		return "none (it is from before maps had ids)"
	}
	return id
}

// inspectTails describes the settings of the model's kind of tails.
func inspectTails(line liner, s *snapshot.Snapshot, o lvm.Options) {
	tails := lvm.TailsOf(s)
	st := s.Student
	if st == nil {
		line("tails", "%v", tails)
		line("neighbours", "%d to learn by (core %d), %d for novelty", s.Neighbors, o.Saul.Core, s.NoveltyK)
		return
	}
	line("tails", "%v (a = %v)", tails, st.Tail)
	line("neighbours", "%d to learn by, %d for novelty", s.Neighbors, s.NoveltyK)
	scales := fmt.Sprintf("in units of %.4g, clipped to %.3g..%.3g", math.Sqrt(st.Unit), math.Sqrt(st.Clip[0]), math.Sqrt(st.Clip[1]))
	if st.Clip[0] == st.Clip[1] {
		scales = "all the same"
	}
	line("scales", "%s", scales)
	theta := ""
	if st.Theta > 0 {
		theta = fmt.Sprintf(", theta %.3g", st.Theta)
	}
	line("dissimilar pairs", "%s%s, weight %.4g each, seed %d", st.Field, theta, st.Weight, st.Seed)
	if o.Student.Supervision > 0 {
		line("supervision", "%v: labels took part in learning", o.Student.Supervision)
	}
	line("variances", "%v, median sigma %.3g; median error of places %.3g", o.Student.Sigma, math.Sqrt(quantile.Median(slices.Clone(s.Sigma2))), math.Sqrt(quantile.Median(slices.Clone(st.Error2))))
}

// madeOf describes the columns that a vector's values come from.
func madeOf(e *ingest.Encoder) string {
	switch {
	case e == nil:
		return ""
	case e.Vector() != "":
		return fmt.Sprintf(", from the column %q", e.Vector())
	}
	var columns []string
	for _, n := range e.Names() {
		name, _, _ := strings.Cut(n, "=")
		if !slices.Contains(columns, name) {
			columns = append(columns, name)
		}
	}
	const most = 8
	if len(columns) > most {
		return fmt.Sprintf(", from %d columns: %s, ...", len(columns), strings.Join(columns[:most], ", "))
	}
	return ", from " + strings.Join(columns, ", ")
}

func countTrue(v []bool) int {
	n := 0
	for _, b := range v {
		if b {
			n++
		}
	}
	return n
}
