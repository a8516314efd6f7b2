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
	"unfold/models/snapshot"
	"unfold/stream/embed"
)

type decodeCmd struct {
	Map    string   `arg:"" optional:"" help:"A map, as fit and embed write it: its embedding is decoded."`
	At     []string `sep:"none" placeholder:"X,Y" help:"Instead of a map: a point of it, as 0.5,-1.2; may be repeated."`
	Model  string   `short:"m" required:"" placeholder:"MODEL" help:"The model, of a kind that leads back into the data (all but lvm)."`
	Output string   `short:"o" required:"" placeholder:"FILE" help:"Where the vectors go: one row for each point. The file extension sets the format; .npy holds the vectors alone; - is an Arrow stream on standard output."`
	memoryFlag
}

func (decodeCmd) Help() string {
	return `Says what vectors lie at points of a map, with the model's standard deviation of an element of each (vector_sigma).
Where the model was learnt from plain columns, the vector has a column for each of its elements, else it is the list
column vector. Elements are as the model sees them, after --log1p and --standardize.

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
	decoder, err := opened[models.Decoder](s, c.Model, "no way back into the data")
	if err != nil {
		return err
	}
	if e, err := embed.Encoder(s); err != nil {
		return fmt.Errorf("%s: %w", c.Model, err)
	} else if e != nil && e.Metric() != ingest.Euclidean {
		p.note("vectors are those of rows as the metric %s has them, not of columns", e.Metric())
	}
	m := &emit.Map{}
	if c.Map != "" {
		if m, err = readMap(ctx, p, c.Map); err != nil {
			return err
		}
	} else if m.Embedding, err = pointsOf(c.At, s.Mu.Cols); err != nil {
		return err
	}
	decoded, err := decoder.Decode(ctx, m.Embedding)
	if err != nil {
		return err
	}
	w, err := createMap(c.Output, p.Stdout, false)
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := w.Write(vectorsOf(s, m, decoded, strings.HasSuffix(strings.ToLower(c.Output), ".npy"))); err != nil {
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

// pointsOf reads points of a map of so many dimensions.
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

// vectorsOf lays decoded vectors out as rows; bare for a file of nothing else.
func vectorsOf(s *snapshot.Snapshot, m *emit.Map, d models.Decoded, bare bool) *emit.Output {
	if bare {
		return &emit.Output{Embedding: d.X}
	}
	out := &emit.Output{ID: m.ID, Embedding: m.Embedding, Kept: slices.Clone(m.Kept), Class: m.Class, Probability: m.Probability}
	out.Kept = append(out.Kept, table.Float32Column("vector_sigma", d.Sigma))
	if len(s.Names) == 0 {
		out.Kept = append(out.Kept, table.VectorColumn("vector", d.X))
		return out
	}
	for k, name := range s.Names {
		values := make([]float32, d.X.Rows)
		for i := range values {
			values[i] = d.X.Row(i)[k]
		}
		out.Kept = append(out.Kept, table.Float32Column("vector."+name, values))
	}
	return out
}
