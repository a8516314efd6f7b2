package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/stream/embed"
)

type decodeCmd struct {
	Map    string   `arg:"" optional:"" help:"A map, as fit and embed write it: its embedding is decoded."`
	At     []string `sep:"none" placeholder:"X,Y" help:"Instead of a map: a point of it, as 0.5,-1.2; may be repeated."`
	Model  string   `short:"m" required:"" placeholder:"MODEL" help:"The model. That of a graph or of distances has no vectors."`
	Output string   `short:"o" required:"" placeholder:"FILE" help:"Where the vectors go: one row for each point. The file extension sets the format; .npy holds the vectors alone; - is an Arrow stream on standard output."`
	memoryFlag
}

func (decodeCmd) Help() string {
	return `Predicts the vectors at points of a map. vector_sigma is the predicted root mean squared error of an element. It is
large where the map is empty.
Where the model was learnt from plain columns, there is a column for each, and for each category its share; else the
list column vector. Values are in the units of the data: --log1p and --standardize are undone.

    unfold decode map.parquet -m data.unfold -o back.parquet
    unfold decode --at 0,0 --at 0.5,-1.2 -m data.unfold -o two.csv`
}

func (c *decodeCmd) Run(ctx context.Context, p *program) error {
	if (c.Map == "") == (len(c.At) == 0) {
		return usagef("decode: name either a map or, with --at, points of it")
	}
	s, err := readModel(ctx, c.Model)
	if err != nil {
		return err
	}
	placer, err := opened[models.Decoder](s, c.Model, "no mapping back into the data")
	if err != nil {
		return err
	}
	if e, err := embed.Encoder(s); err != nil {
		return fmt.Errorf("%s: %w", c.Model, err)
	} else if e != nil && e.Metric().PartOfRow() != "" {
		p.note("vectors are %s: the metric %s takes no more of a row", e.Metric().PartOfRow(), e.Metric())
	}
	m := &emit.Map{}
	if c.Map != "" {
		if m, err = readMap(ctx, p, c.Map); err != nil {
			return err
		}
	} else if m.Embedding, err = pointsOf(c.At, s.Mu.Cols); err != nil {
		return err
	}
	decoded, err := embed.Decode(ctx, s, placer, m.Embedding)
	if err != nil {
		return table.InFile(c.Model, err)
	}
	w, err := createMap(c.Output, p.Stdout, false)
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := w.Write(vectorsOf(m, decoded, strings.HasSuffix(strings.ToLower(c.Output), ".npy"))); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	if c.Output != "-" {
		p.printf("%s holds the vectors of %s\n", c.Output, humanize.Plural(m.Embedding.Rows, "point"))
	}
	return nil
}

// pointsOf parses map points with dims coordinates.
func pointsOf(at []string, dims int) (vec.Matrix[float32], error) {
	out := vec.New[float32](len(at), dims)
	for i, text := range at {
		parts := strings.Split(text, ",")
		if len(parts) != dims {
			return out, usagef("--at %s: %s, the map has %d dimensions", text, humanize.Plural(len(parts), "number"), dims)
		}
		for k, part := range parts {
			v, err := strconv.ParseFloat(strings.TrimSpace(part), 32)
			if err != nil {
				return out, usagef("--at %s: %q is not a number", text, part)
			}
			out.Row(i)[k] = float32(v)
		}
	}
	return out, nil
}

// vectorsOf returns decoded vectors as rows of an output. If bare is set, the file has only the
// vectors.
func vectorsOf(m *emit.Map, d *ingest.Undone, bare bool) *emit.Output {
	if bare {
		return &emit.Output{Embedding: d.Bare()}
	}
	out := &emit.Output{ID: m.ID, Embedding: m.Embedding, Kept: slices.Clone(m.Kept), Class: m.Class, Probability: m.Probability}
	out.Kept = append(out.Kept, table.Float32Column("vector_sigma", d.Sigma))
	out.Kept = append(out.Kept, d.Columns("vector")...)
	return out
}
