package cli

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/viewer"
	"unfold/internal/atomicfile"
)

type exportCmd struct {
	shownFlags
	Output string `short:"o" required:"" placeholder:"FILE" help:"The page, .html."`
}

func (exportCmd) Help() string {
	return `Writes the page of unfold view as one file, with the points in it: to send, to keep, to open without a server. It loads
nothing from elsewhere.

    unfold export map.parquet -o map.html`
}

func (c *exportCmd) Run(ctx context.Context, p *program) error {
	if !strings.EqualFold(filepath.Ext(c.Output), ".html") {
		return usagef("--output: %q is no .html", c.Output)
	}
	if err := checkDifferent([]named{{"--output", c.Output}}, []string{c.Map}); err != nil {
		return err
	}
	if err := checkWritable(c.Output); err != nil {
		return err
	}
	hub, err := c.hub(ctx, p)
	if err != nil {
		return err
	}
	if n := hub.Len(); n > viewer.MostExported {
		return usagef("%s has %s, and a file of its own may have %s: serve it with unfold view, or take a part", c.Map, humanize.Plural(n, "point"), humanize.Count(viewer.MostExported))
	}
	if err := atomicfile.Write(c.Output, func(w io.Writer) error { return viewer.Export(ctx, w, hub) }); err != nil {
		return err
	}
	p.printf("%s: %s, for any browser\n", c.Output, humanize.Plural(hub.Len(), "point"))
	return nil
}
