package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/demo"
	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/progress"
	"unfold/ingest"
)

type demoCmd struct {
	Files []string `arg:"" optional:"" name:"file" help:"Files of your own, or patterns, to be played as the stream instead. Default: data that comes with the program."`
	Out   string   `default:"unfold-demo" placeholder:"FOLDER" help:"Where the results go. Default unfold-demo."`
	Rate  int      `placeholder:"N" help:"Events a second while the map is learnt. Default 1800; of files all within 15 seconds, but at least 500 a second."`
	Time  string   `placeholder:"COL" help:"Column that orders the events of files: timestamps, numbers, or text such as 2006-01-02 15:04:05. Default: the order of the files."`
	Form  string   `name:"messages" enum:"arrow,json" default:"arrow" placeholder:"arrow|json" help:"Format of the messages made of files: Arrow IPC streams of some events each, or JSON, one event each. Default arrow."`
	Stay  string   `enum:"auto,yes,no" default:"auto" placeholder:"auto|yes|no" help:"Keep the stage and its page up at the end, with the stream playing on, until Ctrl-C. Default auto: if a person runs it on a terminal."`
	textFlags
	settingFlags
	memoryFlag
}

func (demoCmd) Help() string {
	return `Runs the stage on a real event stream, the network connections of KDD Cup 1999, with a broker inside this program;
nothing has to be installed. It takes less than a minute and leaves pictures of the map, the places as Parquet, and the
configuration that it ran with. On a terminal the live map stays up until Ctrl-C; elsewhere, or with --stay=no, it ends by itself.

With files it does the same with their rows as the stream; which columns form the vector is said as for "unfold fit":

    unfold demo
    unfold demo embeddings.parquet --id id --label kind
    unfold demo 'flows-*.csv.gz' --columns '*' --log1p --time seen_at --rate 1000`
}

// demoKeys selects the settings of columns, named as in fit.
func demoKeys(k config.Key) (name, group string, ok bool) {
	name, group, ok = fitKeys(k)
	return name, group, ok && group == "columns"
}

func (c *demoCmd) Run(ctx context.Context, p *program) error {
	begin := time.Now()
	stream, err := c.stream(ctx, p)
	if err != nil {
		return err
	}
	switch {
	case c.Rate < 0:
		return usagef("--rate: %d events a second; give at least 1", c.Rate)
	case c.Rate == 0:
		c.Rate = stream.Rate
	}
	broker, err := demo.StartBroker(stream)
	if err != nil {
		return err
	}
	defer broker.Close()
	file, err := demo.Prepare(c.Out, broker, stream, c.Rate)
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", c.Out, err)
	}
	say := func(format string, args ...any) {
		p.printf("%6.1fs  "+format+"\n", append([]any{time.Since(begin).Seconds()}, args...)...)
	}
	say("broker    inside this program, at %s", broker.Addresses()[0])
	// The demo ignores the environment: settings for another stage must not change it.
	settings, err := (&configFlags{Config: file, settingFlags: settingFlags{values: func() map[string]string { return nil }}}).load(&program{System: System{Stderr: p.Stderr}})
	if err != nil {
		return err
	}
	stay := c.Stay == "yes" || c.Stay == "auto" && progress.IsTerminal(p.Stdout)
	_, err = demo.Run(ctx, demo.Settings{
		Folder: c.Out, Stream: stream, Broker: broker, Stage: settings, Rate: c.Rate, Stay: stay, Say: say, Progress: p.progress,
		Done: func(r *demo.Result, page string) {
			c.summarize(p, stream, r, time.Since(begin))
			if stay {
				p.printf("\nThe live map is at %s, and the stream plays on. Ctrl-C ends it.\n", page)
			}
		},
	})
	return err
}

// stream returns the events that the demo plays.
func (c *demoCmd) stream(ctx context.Context, p *program) (*demo.Stream, error) {
	settings, err := p.settingsOf(c.values, demoKeys)
	if err != nil {
		return nil, err
	}
	if len(c.Files) == 0 {
		if c.Time != "" || c.Form != "arrow" || len(c.values()) > 0 {
			return nil, &usageError{err: errors.New("flags of columns, --time and --messages go with files: name some, or leave the flags out")}
		}
		s, err := demo.Connections(ctx, c.Out)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be written: %w", c.Out, err)
		}
		return s, nil
	}
	f := demo.Files{Columns: map[string]string{}, Time: c.Time, JSON: c.Form == "json", Progress: p.progress}
	maps.Copy(f.Columns, c.values())
	if f.Options, err = c.options(p); err != nil {
		return nil, err
	}
	if f.Mapping, err = mapping(settings.Source.Columns); err != nil {
		return nil, err
	}
	if f.Paths, err = p.expand(ctx, c.Files); err != nil {
		return nil, err
	}
	if slices.Contains(f.Paths, "-") {
		return nil, usagef("the demo reads its files twice: it takes no standard input")
	}
	read := ingest.ReadOptions{Options: f.Options, Mapping: f.Mapping}
	suggested, err := p.suggest(ctx, f.Paths, &read)
	if err != nil {
		return nil, err
	}
	f.Mapping = read.Mapping
	for _, s := range suggested {
		f.Columns["source."+s.Name] = s.Value
	}
	if err := p.vet(ctx, f.Paths...); err != nil {
		return nil, err
	}
	s, err := demo.Own(ctx, f)
	if err == nil {
		p.progress.End()
		p.noteLeft(s.Left)
	}
	return s, err
}

// summarize prints the results and the files and pages to look at.
func (c *demoCmd) summarize(p *program, stream *demo.Stream, r *demo.Result, took time.Duration) {
	p.printf("\nEvery message was read, placed and delivered, or is a dead letter: %s in, %s answered, %s.\n",
		humanize.Count(r.Messages), humanize.Count(r.Answered), humanize.Plural(r.DeadLetters, "dead letter"))
	p.printf("The map was learnt %d times; a message took %d ms from read to acknowledged (median, at %s %s a second).\n",
		r.Maps, r.Latency.Milliseconds(), humanize.Count(c.Rate), c.what())
	if n := r.Nearest; n != nil {
		p.printf("The nearest neighbour on the map has the same %s for %.1f %% of its %s; on the map of a fit of the same points for %.1f %%.\n",
			stream.By, 100*n.Stage, humanize.Plural(n.Points, "point"), 100*n.Fit)
	}
	c.novelty(p, stream, r)
	picture := "the map, coloured by " + stream.By
	if stream.By == "" {
		picture = "the map"
	}
	if notes := r.Drawn.Notes(); notes != "" {
		picture += "; " + notes
	}
	p.printf("\nDone in %s. Look at:\n\n", humanize.Span(took))
	for _, f := range []struct{ name, what string }{
		{demo.MapPicture, picture},
		{demo.NoveltyFile, "the map, coloured by novelty"},
		{demo.MapFile, humanize.Count(r.Rows) + " places in one coordinate frame (epoch " + humanize.Count(r.Epoch) + ")"},
		{demo.PlacesFile, "everything that the output topic carried"},
		{demo.DataFile, "the connections themselves"},
		{demo.ConfigFile, "the configuration; with a broker of your own: unfold run -c"},
		{filepath.Join(demo.StateFolder, "map.unfold"), "the map as a model: unfold inspect, unfold embed"},
	} {
		if f.name == demo.DataFile && len(c.Files) > 0 {
			continue
		}
		p.printf("    %-34s %s\n", filepath.Join(c.Out, f.name), f.what)
	}
}

// what returns the plural noun for events in the summary.
func (c *demoCmd) what() string {
	if len(c.Files) > 0 {
		return "events"
	}
	return "connections"
}

// novelty prints how novel the events were, if that is known.
func (c *demoCmd) novelty(p *program, stream *demo.Stream, r *demo.Result) {
	if len(r.Arrivals) > 0 {
		what, of := "attacks were", c.what()
		if len(c.Files) > 0 {
			what = "each " + stream.By + " was that came after the first map"
		}
		p.printf("\nHow novel %s (novelty_global, median of the first %s):\n\n", what, of)
		p.printf("    %-14s %11s   %-12s %s\n", stream.By, of, "on arrival", "once learnt")
		for _, a := range r.Arrivals {
			p.printf("    %-14s %11s   %-12.2f %.2f\n", a.Label, humanize.Count(a.Events), a.New, a.Now)
		}
	}
	if n := r.Novelty; n != nil {
		p.printf("\nLearnt from normal traffic alone (%s connections), novelty separates %s attacks from %s other normal connections:\n\n",
			humanize.Count(n.Learnt), humanize.Count(n.Attacks), humanize.Count(n.Normal))
		p.printf("    AUC by novelty_global  %.3f\n    AUC by novelty_local   %.3f\n", n.Global, n.Local)
	}
}
