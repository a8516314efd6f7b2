package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/stream/embed"
)

type explainCmd struct {
	Model   string   `arg:"" help:"The model, as fit writes it, or map.unfold of a stage's state."`
	In      []string `arg:"" name:"in" help:"The events: files, patterns, or - for standard input."`
	Columns int      `default:"5" placeholder:"N" help:"Most columns to name of an event. Default 5."`
	Above   float64  `placeholder:"P" help:"Explain only events with a novelty above this percentile, as 0.99."`
	Limit   int      `default:"20" placeholder:"N" help:"Most events to explain; 0: all. Default 20."`
	JSON    bool     `name:"json" help:"Write an object for each event, a line each, with the scores themselves."`
	memoryFlag
	textFlags
	settingFlags
}

func (explainCmd) Help() string {
	return `Says why events are novel: which columns carry their distance to their nearest reference points, in which direction, and
what their neighbours have there. The shares of all columns sum to 1; nothing is sampled or approximated (docs/reasons.md).

    unfold explain data.unfold event.json
    unfold explain data.unfold today.parquet --above 0.99 --limit 0 --json`
}

// explainFlags returns the settings of explanations. columns and above are the values of their
// flags.
func explainFlags(columns int, above float64) (embed.Explain, error) {
	x := embed.Explain{Columns: columns, Above: above}
	if err := x.Check(nil); err != nil {
		return x, &usageError{err: err}
	}
	if columns == 0 && above != 0 {
		return x, usagef("--above goes with --explain, which says how many columns to name")
	}
	return x, nil
}

func (c *explainCmd) Run(ctx context.Context, p *program) error {
	how, err := explainFlags(c.Columns, c.Above)
	if err != nil {
		return err
	}
	if c.Columns < 1 || c.Limit < 0 {
		return usagef("--columns has to be 1 or more, --limit 0 or more")
	}
	settings, err := p.settingsOf(c.values, placeKeys)
	if err != nil {
		return err
	}
	options, err := c.textFlags.options(p)
	if err != nil {
		return err
	}
	paths, err := p.expand(ctx, c.In)
	if err != nil {
		return err
	}
	e, err := newEmbedder(ctx, c.Model, "", settings, embed.Explain{})
	if err != nil {
		return err
	}
	if err := p.vet(ctx, paths...); err != nil {
		return err
	}
	out := &explanations{p: p, json: c.JSON, how: how, left: cmp.Or(c.Limit, math.MaxInt)}
	for _, path := range paths {
		if err := out.file(ctx, e.maps, path, options); err != nil {
			return err
		}
	}
	return out.end()
}

// explanations writes explanations of novel events.
type explanations struct {
	p    *program
	json bool
	how  embed.Explain
	// left is the number of explanations still to be written. more counts the omitted ones, rows
	// the events read, and written the events explained.
	left, more, rows, written int
}

func (x *explanations) file(ctx context.Context, maps *embed.Map, path string, o ingest.Options) error {
	r, err := ingest.Open(ctx, path, o)
	if err != nil {
		return err
	}
	defer r.Close()
	m, err := maps.Partial(r.Schema(), path)
	if err != nil {
		return err
	}
	for t, err := range table.All(ctx, r) {
		if err != nil {
			return err
		}
		asked, err := m.Ask(ctx, t)
		if err != nil {
			return err
		}
		if err := asked.Explain(ctx, x.how); err != nil {
			return err
		}
		rows := withScores(asked.All(), asked.Why())
		rows.FirstRow = int64(x.rows)
		for i, why := range asked.Why() {
			if err := x.event(rows, i, why); err != nil {
				return err
			}
		}
		x.rows += t.Len()
	}
	return nil
}

// event writes the explanation of one event, if it has one.
func (x *explanations) event(o *emit.Output, i int, why *embed.Why) error {
	switch {
	case why == nil:
		return nil
	case x.left == 0:
		x.more++
		return nil
	}
	x.left--
	id := strconv.Itoa(x.rows + i)
	if o.ID.Valid() {
		id = o.ID.Text(i)
	}
	if x.json {
		x.written++
		line, err := emit.JSON{}.Encode(o.Slice(i, i+1))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(x.p.jsonOut(), "%s\n", line)
		return err
	}
	if x.written > 0 {
		x.p.printf("\n")
	}
	x.written++
	_, err := io.WriteString(x.p.people(), person(id, o, i, why))
	return err
}

// end reports the rows that were not written.
func (x *explanations) end() error {
	x.p.progress.End()
	switch {
	case x.rows == 0:
		x.p.note("there are no events")
	case x.more > 0:
		x.p.note("%s not shown; --limit 0 shows all", humanize.Plural(x.more, "event"))
	case x.written == 0 && x.how.Above > 0:
		x.p.note("none of %s is above the percentile %v", humanize.Plural(x.rows, "event"), x.how.Above)
	case x.written == 0:
		x.p.note("none of %s is explained: values are missing", humanize.Plural(x.rows, "event"))
	}
	return nil
}

// person formats an explanation for people.
func person(id string, o *emit.Output, i int, why *embed.Why) string {
	var b strings.Builder
	fmt.Fprintf(&b, "event %s: novelty %s beyond its neighbours, %s against their density\n", table.Line(id), percentile(o.NoveltyGlobal[i]), percentile(o.NoveltyLocal[i]))
	width, rest := len("others"), 1.0
	for _, r := range why.Reasons {
		width = max(width, len([]rune(table.Line(r.Column))))
	}
	for _, r := range why.Reasons {
		rest -= r.Share
		fmt.Fprintf(&b, "  %-*s %6s  %s\n", width, table.Line(r.Column), share(r.Share), phrase(r))
	}
	if math.Abs(rest) >= 0.0005 {
		fmt.Fprintf(&b, "  %-*s %6s\n", width, "others", share(rest))
	}
	names := make([]string, len(why.Neighbors))
	for k, n := range why.Neighbors {
		names[k] = fmt.Sprintf("%s (%.3g)", n.ID, n.Distance)
	}
	fmt.Fprintf(&b, "  nearest points: %s\n", table.List(names))
	fmt.Fprintf(&b, "  mean distance %.4g, local outlier factor %.4g", why.Global, why.Local)
	if why.Gap >= 0.0005 {
		fmt.Fprintf(&b, ", of which %s is their density and of no column", share(why.Gap))
	}
	b.WriteString("\n")
	return b.String()
}

// percentile formats a novelty in percent. Values below 1 are never rounded up to 100 %.
func percentile(v float32) string {
	if v < 1 {
		return strconv.FormatFloat(math.Min(math.Round(float64(v)*1e4)/100, 99.99), 'f', -1, 64) + "%"
	}
	return "100%"
}

func share(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) + "%" }

// phrase formats the expected and the actual value.
func phrase(r emit.Reason) string {
	if r.Text {
		return fmt.Sprintf("expected %q, is %q", r.Expected, r.Category)
	}
	expected := number(r.Low)
	if r.Low != r.High {
		expected += " to " + number(r.High)
	}
	return fmt.Sprintf("expected %s, is %s (%s)", expected, number(r.Value), r.Direction)
}

// number formats a number with separated thousands, as in 51,000.
func number(v float64) string {
	text := strconv.FormatFloat(v, 'g', 7, 64)
	whole, rest, point := strings.Cut(text, ".")
	if strings.ContainsAny(text, "eIN") {
		return text
	}
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if point {
		whole += "." + rest
	}
	return sign + whole
}

// withScores adds the scores as columns to placed and explained rows.
func withScores(o *emit.Output, all []*embed.Why) *emit.Output {
	column := func(name string, of func(*embed.Why) float64) table.Column {
		values := make([]float64, len(all))
		for i, w := range all {
			if values[i] = math.NaN(); w != nil {
				values[i] = of(w)
			}
		}
		return table.Float64Column(name, values)
	}
	out := *o
	out.Kept = append(slices.Clone(o.Kept),
		column("mean_distance", func(w *embed.Why) float64 { return w.Global }),
		column("local_outlier_factor", func(w *embed.Why) float64 { return w.Local }),
		column("density_share", func(w *embed.Why) float64 { return w.Gap }))
	return &out
}
