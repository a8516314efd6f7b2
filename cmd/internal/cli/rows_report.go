package cli

import (
	"context"
	"fmt"
	"math"
	"strings"

	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/table"
	"unfold/models/score"
	"unfold/sparse/graph"
)

// rowsReport describes the rows before a map is learnt from them, for --report.
type rowsReport struct {
	// Metric is the distance between rows. Columns are the columns that form the vectors.
	Metric  ingest.Metric `json:"metric"`
	Columns []ingest.Use  `json:"columns"`
	// Left are the columns excluded by "*". Dominant is a column that contributes nearly all
	// squared distance.
	Left     []ingest.Left    `json:"left_out,omitempty"`
	Dominant *ingest.Dominant `json:"dominant,omitempty"`
	// Missing are the columns with imputed values. Dropped is the number of rows dropped for
	// missing values.
	Missing []ingest.Hole `json:"missing,omitempty"`
	Dropped int           `json:"dropped,omitempty"`
	// Duplicates is the share of rows that equal an earlier one.
	Duplicates float64 `json:"duplicates"`
	// IntrinsicDim estimates the dimension of the manifold that the rows lie on.
	IntrinsicDim *float64 `json:"intrinsic_dim,omitempty"`
	// NormDeviation is the relative deviation of the rows' lengths, for rows that look like text
	// embeddings.
	NormDeviation *float64 `json:"norm_deviation,omitempty"`
}

// reportRows describes the rows and writes warnings about them. Figures that cause no warning are
// computed only if they are shown or reported. unasked is true if no setting asks for missing
// values to be filled in.
func reportRows(ctx context.Context, p *program, d *ingest.Dataset, threads int, reported, unasked bool) (rowsReport, error) {
	if d.Sparse != nil {
		return reportSparse(p, d, reported), nil
	}
	e := d.Encoder
	t := rowsReport{Metric: e.Metric(), Columns: e.Uses(), Left: d.Left, Missing: d.Holes, Dropped: d.Dropped}
	if reported || p.progress != nil {
		t.Duplicates = d.Duplicates()
		switch v, err := score.IntrinsicDimension(ctx, d.X, e.Metric().Distance(), threads); {
		case err != nil:
			return t, err
		case !math.IsNaN(v):
			t.IntrinsicDim = &v
		}
		p.say(t.line(d.X.Cols))
		if text := e.DescribeShift(); text != "" {
			p.say(text)
		}
	}
	switch {
	case len(t.Missing) > 0 && e.Fills():
		say := p.note
		if unasked {
			say = p.chose
		}
		say("missing values are filled with the mean of their columns: %s", describeHoles(t.Missing))
	case len(t.Missing) > 0:
		p.note("missing values are filled in by the model, which learns from the others: %s", describeHoles(t.Missing))
	}
	if found, is := ingest.FindDominant(d.X, e.Names()); is {
		t.Dominant = &found
		p.note("%v", found)
	}
	if e.Vector() != "" && t.Metric == ingest.Euclidean {
		if deviation, alike := ingest.LikeText(d.X); alike {
			t.NormDeviation = &deviation
			p.note("the vectors in %q have nearly one length (it deviates by %.2g %%) and many directions, as embeddings of texts do: their direction may be all that counts: --metric cosine", e.Vector(), 100*deviation)
		}
	}
	return t, nil
}

// reportSparse is reportRows for sparse rows. It skips figures that need dense rows.
func reportSparse(p *program, d *ingest.Dataset, reported bool) rowsReport {
	t := rowsReport{Metric: d.Encoder.Metric(), Columns: d.Encoder.Uses(), Dropped: d.Dropped}
	if reported || p.progress != nil {
		unique, _, _ := graph.CollapseSparse(d.Sparse)
		t.Duplicates = 1 - float64(len(unique))/float64(d.Sparse.N())
		p.say(t.line(d.Sparse.M()) + "; " + sparseWords(d.Sparse.N(), d.Sparse.NNZ()))
	}
	return t
}

// sparseWords describes the sparsity of rows.
func sparseWords(rows, entries int) string {
	return fmt.Sprintf("sparse, with %.3g values a row that are not 0", float64(entries)/float64(max(rows, 1)))
}

// line formats everything except warnings in one line.
func (t *rowsReport) line(dim int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "vectors of %s: %s", humanize.Plural(dim, "value"), ingest.DescribeUses(t.Columns))
	if t.Metric != ingest.Euclidean {
		fmt.Fprintf(&b, "; metric %s", t.Metric)
	}
	if t.Duplicates > 0 {
		fmt.Fprintf(&b, "; %.2g %% of the rows are duplicates", 100*t.Duplicates)
	}
	if t.IntrinsicDim != nil {
		fmt.Fprintf(&b, "; intrinsic dimension about %.2g", *t.IntrinsicDim)
	}
	return b.String()
}

// describeHoles lists columns with missing values. It shortens long lists.
func describeHoles(holes []ingest.Hole) string {
	const most = 8
	var parts []string
	for _, h := range holes[:min(most, len(holes))] {
		parts = append(parts, fmt.Sprintf("%s (%s)", h.Column, humanize.Plural(h.Rows, "row")))
	}
	if len(holes) > most {
		parts = append(parts, fmt.Sprintf("and %d more", len(holes)-most))
	}
	return table.Line(strings.Join(parts, ", "))
}
