package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"unfold/cmd/internal/demo"
	"unfold/cmd/internal/humanize"
)

type demoCmd struct {
	Out  string `default:"unfold-demo" placeholder:"FOLDER" help:"Where the results go. Default unfold-demo."`
	Rate int    `default:"1800" placeholder:"N" help:"Connections a second while the map is learnt. Default 1800."`
}

func (demoCmd) Help() string {
	return `Runs the stage on a real event stream, the network connections of KDD Cup 1999, with a broker inside this program;
nothing has to be installed. It takes less than a minute, ends by itself and leaves pictures of the map, the places as
Parquet, and the configuration that it ran with.`
}

func (c *demoCmd) Run(ctx context.Context, p *program) error {
	if c.Rate < 1 {
		return usagef("--rate: %d connections a second; give at least 1", c.Rate)
	}
	begin := time.Now()
	broker, err := demo.StartBroker()
	if err != nil {
		return err
	}
	defer broker.Close()
	file, err := demo.Prepare(c.Out, broker)
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", c.Out, err)
	}
	say := func(format string, args ...any) {
		p.printf("%6.1fs  "+format+"\n", append([]any{time.Since(begin).Seconds()}, args...)...)
	}
	say("broker    inside this program, at %s", broker.Addresses()[0])
	// The environment of the demo is its own: settings for another stage must not reach it.
	settings, err := (&configFlags{Config: file, settingFlags: settingFlags{values: func() map[string]string { return nil }}}).load(&program{System: System{Stderr: p.Stderr}})
	if err != nil {
		return err
	}
	r, err := demo.Run(ctx, demo.Settings{
		Folder: c.Out, Broker: broker, Stage: settings, Rate: c.Rate, Say: say, Progress: p.progress,
	})
	if err != nil {
		return err
	}
	c.summarize(p, r, time.Since(begin))
	return nil
}

// summarize says what happened and where to look.
func (c *demoCmd) summarize(p *program, r *demo.Result, took time.Duration) {
	p.printf("\nEvery message was read, placed and delivered, or is a dead letter: %s in, %s answered, %s.\n",
		humanize.Count(r.Messages), humanize.Count(r.Answered), humanize.Plural(r.DeadLetters, "dead letter"))
	p.printf("The map was learnt %d times; a message took %d ms from read to acknowledged (median, at %s connections a second).\n",
		r.Maps, r.Latency.Milliseconds(), humanize.Count(c.Rate))
	p.printf("\nHow strange attacks were (novelty_global, median of the first connections):\n\n")
	p.printf("    %-14s %11s   %-12s %s\n", "attack", "connections", "on arrival", "once learnt")
	for _, a := range r.Arrivals {
		p.printf("    %-14s %11s   %-12.2f %.2f\n", a.Label, humanize.Count(a.Events), a.New, a.Now)
	}
	n := r.Novelty
	p.printf("\nLearnt from normal traffic alone (%s connections), novelty separates %s attacks from %s other normal connections:\n\n",
		humanize.Count(n.Learnt), humanize.Count(n.Attacks), humanize.Count(n.Normal))
	p.printf("    AUC by novelty_global  %.3f\n    AUC by novelty_local   %.3f\n", n.Global, n.Local)
	picture := "the map, coloured by attack"
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
		p.printf("    %-34s %s\n", filepath.Join(c.Out, f.name), f.what)
	}
}
