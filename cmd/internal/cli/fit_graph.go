package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/prior"
	"unfold/sparse/graph"
)

// graphFlags describe a graph that is mapped instead of rows.
type graphFlags struct {
	Graph        string `group:"columns" placeholder:"FILE" help:"A graph to map, instead of rows: an edge list with columns source, target and, if edges differ, weight or distance; or a square sparse matrix (.npz, .mtx). Edges have no direction. Options about columns do not apply."`
	GraphWeights string `group:"columns" name:"graph-weights" rare:"" placeholder:"similarity|distance" help:"Meaning of the weights of edges; an edge of similarity w is 1/w long. Default similarity."`
}

// weights returns the meaning of the edge weights.
func (g graphFlags) weights() (graph.Weights, error) {
	if g.GraphWeights == "" {
		return graph.Similarity, nil
	}
	w, err := graph.ParseWeights(g.GraphWeights)
	if err != nil {
		return w, usagef("--graph-weights: %v", err)
	}
	return w, nil
}

// checkGraph returns an error for flags that conflict with --graph.
func (c *fitCmd) checkGraph(settings *config.Config) error {
	for _, f := range []struct {
		flag  string
		given bool
		why   string
	}{
		{"in", len(c.In) > 0, "the nodes of a graph have no vectors; give either files of rows or --graph"},
		{"--neighbors-file", c.NeighborsFile != "", "it is for rows with vectors; give its pairs as an edge list"},
		{"--label-file", len(c.LabelFile) > 0, "nodes have no labels; join them to the map by its column id"},
		{"--supervise", c.Supervise != "", "nodes have no labels to learn by; leave it out"},
		{"--classify", c.Classify, "nodes have no labels to learn; leave it out"},
		{"--dry-run", c.DryRun, "the memory that a graph takes is not predicted; leave it out"},
		{"--memory", c.Memory != "", "the memory that a graph takes is not predicted; leave it out"},
	} {
		if f.given {
			return usagef("--graph and %s: %s", f.flag, f.why)
		}
	}
	for path := range c.values() {
		switch section, name, _ := strings.Cut(path, "."); {
		case section == "source":
			return usagef("--graph and --%s: a graph has no columns that become vectors; leave it out", flagName(name))
		case path == "model.search" || path == "model.recall" || path == "model.pca":
			return usagef("--graph and --%s: there are no vectors to search or project; leave it out", flagName(name))
		}
	}
	err := settings.Model.Spec().CheckGraph()
	var setting *models.SettingError
	if errors.As(err, &setting) {
		return usagef("--%s: %s", flagName(setting.Name), setting.Problem)
	}
	return err
}

// graph learns a map of a graph.
func (c *fitCmd) graph(ctx context.Context, p *program, settings *config.Config, begin time.Time) error {
	w, err := c.weights()
	if err != nil {
		return err
	}
	frame, err := c.frameFlag.apply(settings)
	if err != nil {
		return err
	}
	if frame == "-" || frame != "" && isModel(frame) {
		return usagef("--graph and --frame %s: a frame of nodes is a file with their coordinates", frame)
	}
	if frame != "" { // the file replaces it; pca, which apply sets, is for rows
		key, _ := config.Find(frameKey)
		if err := key.Set(settings, prior.Geodesic.String()); err != nil {
			return err
		}
	}
	if err := p.checkModel(settings); err != nil {
		return err
	}
	if err := c.checkGraph(settings); err != nil {
		return err
	}
	f := &fitRun{fitCmd: c, p: p, begin: begin, model: settings.Model, inputs: []string{c.Graph}, frame: frame}
	f.job.Spec = settings.Spec()
	if f.groups, err = c.wanted(c.Map, settings); err != nil {
		return err
	}
	if _, err := c.paths(ctx, p, ingest.Mapping{}, settings, ""); err != nil {
		return err
	}
	f.clock = newClock()
	if err := f.readGraph(ctx, w); err != nil {
		return err
	}
	if err := f.readFrame(ctx); err != nil {
		return err
	}
	if err := f.learnGraph(ctx, w); err != nil {
		return err
	}
	if err := f.write(ctx); err != nil {
		return err
	}
	p.progress.End()
	f.summarize(time.Since(begin))
	return nil
}

func (f *fitRun) readGraph(ctx context.Context, w graph.Weights) error {
	options, err := f.textFlags.options(f.p)
	if err != nil {
		return err
	}
	if err := f.p.vet(ctx, f.Graph); err != nil {
		return err
	}
	f.p.progress.Stage("read", "", 0)
	if f.edges, err = ingest.ReadGraph(ctx, f.Graph, options, w); err != nil {
		return err
	}
	f.data = &ingest.Dataset{Batch: ingest.Batch{ID: f.edges.ID, Origin: table.Origin{File: f.Graph}}}
	f.clock.lap("read")
	if f.Map == "" {
		return nil
	}
	return f.p.noteHeld(f.Map, &emit.Output{ID: f.data.ID})
}

func (f *fitRun) learnGraph(ctx context.Context, w graph.Weights) (err error) {
	progress := func(stage string, done, total int) { f.p.progress.Update(stage, done, total) }
	f.snap, f.result, err = fit.Graph(ctx, f.edges.Weights, w, f.job.Spec, progress)
	var lone *fit.LoneError
	if errors.As(err, &lone) && f.edges.ID.Valid() {
		return table.Origin{File: f.Graph}.Bad("the node %q has no edge to another, and so no place among them", table.Clip(f.edges.ID.Text(lone.Node))).
			Suggest("leave it out")
	}
	if err != nil {
		return fitError(f.inputs, err)
	}
	f.clock.lap("fit")
	f.p.progress.Stage("write", "", 0)
	return f.finish(ctx)
}

// inParts returns the number of components of a graph as a phrase, "" for a connected graph.
func inParts(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" of %s, which bridges join", humanize.Plural(n, "part"))
}
