package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/progress"
)

// System is what the program needs of the world around it.
type System struct {
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Environ holds "NAME=value" pairs, as os.Environ returns them.
	Environ []string
}

// commands is the grammar. The order is that of the help.
type commands struct {
	Fit     fitCmd     `cmd:"" group:"files" help:"Learn a map from files."`
	Embed   embedCmd   `cmd:"" group:"files" help:"Place rows of files on a map that was learnt."`
	Score   scoreCmd   `cmd:"" group:"files" help:"Measure how good a map is."`
	Plot    plotCmd    `cmd:"" group:"files" help:"Draw a map."`
	Decode  decodeCmd  `cmd:"" group:"files" help:"Say what vectors lie at points of a map."`
	Inspect inspectCmd `cmd:"" group:"files" help:"Say what a model, a map or a data file holds."`

	Run  runCmd  `cmd:"" group:"streams" help:"Run as a stage between two Kafka topics."`
	Lint lintCmd `cmd:"" group:"streams" help:"Check a configuration, its brokers and topics, without running."`
	DLQ  dlqCmd  `cmd:"" name:"dlq" group:"streams" help:"Look at dead letters, or give them to the stage again."`
	Demo demoCmd `cmd:"" group:"streams" help:"See a real event stream become a map: broker and data come with the program."`

	Version versionCmd `cmd:"" group:"other" help:"Say which version this is."`

	CheckInput checkInputCmd `cmd:"" hidden:""`

	Quiet     bool        `short:"q" help:"Show no progress."`
	Untrusted config.Size `placeholder:"SIZE" help:"Input files come from strangers: let a process of its own, which may take so much memory, decode each before it is used."`
}

const about = `Turns events that carry vectors into a map: in files, or as a stage in a Kafka pipeline.

First steps:

    unfold demo                                          a real stream becomes a map, in a minute
    unfold fit data.parquet -o data.unfold --map map.parquet
    unfold plot map.parquet -o map.png`

var groups = kong.ExplicitGroups([]kong.Group{
	{Key: "files", Title: "With files:"},
	{Key: "streams", Title: "With streams:"},
	{Key: "other", Title: "Other:"},
	{Key: "columns", Title: "Columns:"},
	{Key: "model", Title: "Model:"},
	{Key: "text", Title: "Text files:"},
	{Key: "source", Title: "Source:"}, {Key: "reference", Title: "Reference set:"}, {Key: "refresh", Title: "Refresh:"},
	{Key: "sink", Title: "Sink:"}, {Key: "stage", Title: "Stage:"},
})

// program is what a verb works with.
type program struct {
	System
	progress *progress.Reporter
	// untrusted says whether files are looked at by another process first.
	untrusted untrusted
}

// env returns a variable of the environment; it is a config.Lookup.
func (p *program) env(name string) (string, bool) {
	for _, e := range p.Environ {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			return v, true
		}
	}
	return "", false
}

// printf writes a result for a person.
func (p *program) printf(format string, args ...any) { fmt.Fprintf(p.Stdout, format, args...) }

// note writes what is good to know but no result.
func (p *program) note(format string, args ...any) {
	p.progress.End()
	fmt.Fprintf(p.Stderr, "note: "+format+"\n", args...)
}

// helpShown ends parsing after --help has been answered.
type helpShown struct{}

// newParser makes the grammar's parser; what it parses goes to c. A command has its
// settings as flags only if args name it: those of all commands together would take
// longer to make than all else that a start does.
func newParser(c *commands, sys System) (*kong.Kong, error) {
	for _, of := range []struct {
		command string
		flags   *kong.Plugins
		values  *func() map[string]string
		names   keyNames
	}{
		{"fit", &c.Fit.Settings, &c.Fit.values, fitKeys},
		{"embed", &c.Embed.Settings, &c.Embed.values, embedKeys},
		{"score", &c.Score.Settings, &c.Score.values, dataKeys},
		{"run", &c.Run.Settings, &c.Run.values, stageKeys},
		{"lint", &c.Lint.Settings, &c.Lint.values, stageKeys},
		{"list", &c.DLQ.List.Settings, &c.DLQ.List.values, brokerKeys},
		{"replay", &c.DLQ.Replay.Settings, &c.DLQ.Replay.values, brokerKeys},
	} {
		if slices.Contains(sys.Args, of.command) {
			*of.flags, *of.values = settingFlags(of.names)
		}
	}
	return kong.New(c,
		kong.Name("unfold"), kong.Description(about), groups,
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, NoAppDescFormat: true, FlagsLast: true, WrapUpperBound: 110}),
		kong.Writers(sys.Stdout, sys.Stderr),
		kong.Exit(func(int) { panic(helpShown{}) }),
	)
}

// inGrammar says in the grammar's words what people try first: "help fit" is "fit
// --help", and "--version" is a command.
func inGrammar(args []string) []string {
	switch {
	case len(args) > 0 && args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case len(args) == 1 && args[0] == "--version":
		return []string{"version"}
	}
	return args
}

// Run runs the program and returns its exit code.
func Run(ctx context.Context, sys System) (code int) {
	sys.Args = inGrammar(sys.Args)
	var c commands
	parser, err := newParser(&c, sys)
	if err != nil {
		fmt.Fprintf(sys.Stderr, "unfold: the command line's grammar is broken: %v\n", err)
		return exitFailed
	}
	shown := exitDone
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(helpShown); !ok {
				panic(r)
			}
			code = shown
		}
	}()
	if len(sys.Args) == 0 {
		parser.Stdout = sys.Stderr
		shown = exitUsage
		sys.Args = []string{"--help"}
	}
	parsed, err := parser.Parse(sys.Args)
	if err != nil {
		return complain(sys.Stderr, wrongUsage(err))
	}
	p := &program{System: sys, untrusted: untrusted{memory: c.Untrusted}}
	if !c.Quiet {
		p.progress = progress.New(sys.Stderr)
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	err = parsed.Run(p)
	if err != nil {
		p.progress.Abort()
	}
	return complain(sys.Stderr, err)
}

// wrongUsage makes a parser's error one of usage, with the way to help.
func wrongUsage(err error) error {
	command := "unfold"
	var pe *kong.ParseError
	if errors.As(err, &pe) && pe.Context != nil {
		if node := pe.Context.Selected(); node != nil {
			command = node.FullPath()
		} else if what, ok := strings.CutPrefix(err.Error(), "unexpected argument "); ok {
			err = fmt.Errorf("there is no command %s", what)
		}
	}
	return &usageError{err: err, hint: fmt.Sprintf("see %s --help", command)}
}

// settingsOf collects the settings that were given as flags into a Config with
// defaults for the others.
func settingsOf(values func() map[string]string, names keyNames) (*config.Config, error) {
	c := config.Defaults()
	for path, text := range values() {
		k, _ := config.Find(path)
		if err := k.Set(c, text); err != nil {
			name, _, _ := names(k)
			return nil, usagef("--%s: %v", name, err)
		}
	}
	return c, nil
}
