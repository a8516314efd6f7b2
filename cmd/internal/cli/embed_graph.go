package cli

import (
	"context"
	"time"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models/snapshot"
	"unfold/stream/embed"
)

// graph places new nodes on the map of a graph.
func (c *embedCmd) graph(ctx context.Context, p *program, settings *config.Config) error {
	begin := time.Now()
	switch {
	case len(c.In) > 0:
		return usagef("--graph: new nodes have no vectors; leave the files of rows out")
	case len(c.LabelFile) > 0 || c.Explain > 0:
		return usagef("--graph: new nodes have neither labels nor values that explain them; leave --label-file and --explain out")
	case c.Output == "":
		return usagef("missing flags: --output=FILE; see unfold embed --help")
	}
	options, err := c.textFlags.options(p)
	if err != nil {
		return err
	}
	if err := checkDifferent([]named{{"--output", c.Output}}, []string{c.Graph, c.Model}); err != nil {
		return err
	}
	if _, _, err := emit.FormatOf(c.Output); err != nil {
		return &usageError{err: err}
	}
	s, err := readAnyModel(ctx, c.Model)
	if err != nil {
		return err
	}
	if s.Graph == nil {
		return table.Origin{File: c.Model}.Bad("it is a map of vectors, not of a graph").Suggest("give the rows as files, without --graph")
	}
	e, err := embedderOf(s, c.Model, c.Output, settings, embed.Explain{})
	if err != nil {
		return err
	}
	if err := p.vet(ctx, c.Graph); err != nil {
		return err
	}
	edges, err := ingest.ReadNewNodes(ctx, c.Graph, options, s.Graph.Weights, s.IDs, s.Reference.Rows)
	if err != nil {
		return err
	}
	w, err := createMap(c.Output, p.Stdout, true)
	if err != nil {
		return err
	}
	defer w.Abort()
	p.progress.Stage("place", "rows", int64(edges.Weights.N))
	if err := e.nodes(ctx, p, c.Graph, edges, w); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	p.progress.End()
	if c.Output != "-" {
		p.printf("%s holds the places of %s, placed in %s\n", c.Output, humanize.Plural(int(e.rows), "node"), humanize.Span(time.Since(begin)))
	}
	return nil
}

// nodes places new nodes in batches, because the weights of each node fill a dense row.
func (e *embedder) nodes(ctx context.Context, p *program, path string, edges *ingest.Edges, w emit.Writer) error {
	a := edges.Weights
	batch := max(1, manyRows*manyValues/max(e.values, manyValues))
	for from := 0; from < a.N; from += batch {
		to := min(a.N, from+batch)
		x := vec.New[float32](to-from, a.M)
		for i := range x.Rows {
			index, data := a.Row(from + i)
			for q, j := range index {
				x.Row(i)[j] = float32(data[q])
			}
		}
		places, err := e.maps.Vectors(ctx, x)
		if err != nil {
			return table.InFile(path, err)
		}
		b := &ingest.Batch{}
		if edges.ID.Valid() {
			b.ID = edges.ID.Slice(from, to)
		}
		out := places.Output(b, 0, x.Rows)
		out.FirstRow = e.rows
		if from == 0 {
			if err := p.noteHeld(e.output, out); err != nil {
				return err
			}
		}
		if err := w.Write(out); err != nil {
			return err
		}
		e.rows += int64(x.Rows)
		p.progress.Set(e.rows)
	}
	return nil
}

// ofVectors returns an error for the map of a graph, because its model cannot place vectors.
func ofVectors(path string, s *snapshot.Snapshot) error {
	if s.Graph == nil {
		return nil
	}
	return table.Origin{File: path}.Bad("it is a map of a graph, whose nodes have no vectors").
		Suggest("place new nodes by their edges: unfold embed --graph FILE -m %s -o places.parquet", path)
}
