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
	"unfold/cmd/internal/remote"
	"unfold/cmd/internal/terminal"
	"unfold/ingest/table"
	"unfold/internal/simd"
	"unfold/models/fit"
)

// System is the program's environment: arguments, streams and variables.
type System struct {
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Environ holds "NAME=value" pairs, as os.Environ returns them.
	Environ []string
	// Version is the release's version. It is empty if the linker did not set it.
	Version string
	// Kinds are kinds of models in addition to the built-in ones.
	Kinds []fit.Kind
	// session is true for a command of a session, which marks some notes for its client.
	session bool
}

// everywhere has the flags of every command.
type everywhere struct {
	HelpAll helpAll `help:"Show all flags, also those that few need."`
	Quiet   bool    `short:"q" help:"Show no progress."`
	// MaxDownload and Redirects apply to inputs from the web.
	MaxDownload config.Size `name:"max-download" rare:"" placeholder:"SIZE" help:"Most bytes of one remote input (https://, s3://). Default: nine tenths of the free disk space."`
	Redirects   bool        `rare:"" help:"Let inputs of the web redirect to other hosts."`
	Untrusted   config.Size `rare:"" placeholder:"SIZE" help:"Input files are untrusted: another process with this memory limit decodes each before it is used."`
}

// command is a command of the program, such as fit.
type command struct {
	name, group, help string
	// new returns its flags and arguments. Some commands have a flag for each setting of a kind.
	new  func(kinds []fit.Kind) any
	tags []string
	// reads marks commands that read files from others, so that --memory and --untrusted apply.
	reads bool
}

// commands lists the commands in the order of the help.
var commands = []command{
	{name: "fit", group: "files", reads: true, help: "Learn a map from files.", new: func(kinds []fit.Kind) any {
		return &fitCmd{settingFlags: flagsOf(fitKeys, kinds), frameFlag: newFrameFlag()}
	}},
	{name: "embed", group: "files", reads: true, help: "Place rows of files on a learnt map.", new: func(kinds []fit.Kind) any { return &embedCmd{settingFlags: flagsOf(embedKeys, kinds)} }},
	{name: "update", group: "files", reads: true, help: "Update a learnt map: add and remove rows.", new: func(kinds []fit.Kind) any { return &updateCmd{settingFlags: flagsOf(placeKeys, kinds)} }},
	{name: "score", group: "files", reads: true, help: "Measure how good a map is.", new: func(kinds []fit.Kind) any { return &scoreCmd{settingFlags: flagsOf(dataKeys, kinds)} }},
	{name: "plot", group: "files", reads: true, help: "Draw a map.", new: func([]fit.Kind) any { return new(plotCmd) }},
	{name: "clusters", group: "files", reads: true, help: "Find clusters of a map or of data.", new: func(kinds []fit.Kind) any { return &clustersCmd{settingFlags: flagsOf(clusterKeys, kinds)} }},
	{name: "explain", group: "files", reads: true, help: "Report why rows are novel: by which columns, and what was expected there.",
		new: func(kinds []fit.Kind) any { return &explainCmd{settingFlags: flagsOf(placeKeys, kinds)} }},
	{name: "decode", group: "files", reads: true, help: "Predict the vectors at points of a map.", new: func([]fit.Kind) any { return new(decodeCmd) }},
	{name: "inspect", group: "files", reads: true, help: "Describe a model, a map or a data file.", new: func([]fit.Kind) any { return new(inspectCmd) }},
	{name: "view", group: "files", reads: true, help: "Show a map on a page, in the browser.", new: func([]fit.Kind) any { return new(viewCmd) }},
	{name: "export", group: "files", reads: true, help: "Write the page of a map as one file.", new: func([]fit.Kind) any { return new(exportCmd) }},
	{name: "serve", group: "files", reads: true, help: "Answer placement requests over HTTP or on a pipe.", new: func(kinds []fit.Kind) any { return &serveCmd{settingFlags: flagsOf(serveKeys, kinds)} }},
	{name: "session", group: "files", help: "Run commands that another program sends, on a pipe.", new: func([]fit.Kind) any { return new(sessionCmd) }},

	{name: "run", group: "streams", help: "Run as a stage between two Kafka topics.",
		new: func(kinds []fit.Kind) any {
			return &runCmd{configFlags: configFlags{settingFlags: flagsOf(stageKeys, kinds)}}
		}},
	{name: "lint", group: "streams", help: "Check a configuration, its brokers and topics, without running.",
		new: func(kinds []fit.Kind) any {
			return &lintCmd{configFlags: configFlags{settingFlags: flagsOf(stageKeys, kinds)}}
		}},
	{name: "dlq", group: "streams", help: "List dead letters, or replay them.", new: func(kinds []fit.Kind) any { return newDLQ(kinds) }},
	{name: "demo", group: "streams", reads: true, help: "See an event stream become a map, the program's own or your files: the broker comes with the program.",
		new: func(kinds []fit.Kind) any { return &demoCmd{settingFlags: flagsOf(demoKeys, kinds)} }},

	{name: "version", group: "other", help: "Show the version.", new: func([]fit.Kind) any { return new(versionCmd) }},

	{name: "completion", group: "other", help: "Write a shell's completion of commands and flags.", new: func([]fit.Kind) any { return new(completionCmd) }},

	{name: completeVerb, new: func([]fit.Kind) any { return new(completeCmd) }, tags: []string{`hidden:""`}},
	{name: "settings", new: func([]fit.Kind) any { return new(settingsCmd) }, tags: []string{`hidden:""`}},
	{name: "check-input", new: func([]fit.Kind) any { return new(checkInputCmd) }, tags: []string{`hidden:""`}},
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
	{Key: "clusters", Title: "Clusters:"},
	{Key: "model", Title: "Model:"},
	{Key: "text", Title: "Text files:"},
	{Key: "source", Title: "Source:"}, {Key: "reference", Title: "Reference set:"}, {Key: "refresh", Title: "Refresh:"},
	{Key: "sink", Title: "Sink:"}, {Key: "moves", Title: "Moves:"}, {Key: "explain", Title: "Reasons:"}, {Key: "drift", Title: "Drift:"}, {Key: "limits", Title: "Limits:"}, {Key: "batch", Title: "Batches:"},
	{Key: "snapshots", Title: "Snapshots:"}, {Key: "stage", Title: "Stage:"},
})

// program is the environment of a running command.
type program struct {
	System
	progress *progress.Reporter
	// untrusted sets whether a separate process decodes files first.
	untrusted untrusted
	// limited is true in a process with a memory limit, which supervise started.
	limited bool
	// remote has the local copies of remote inputs.
	remote remote.Files
}

// env returns an environment variable. It implements config.Lookup.
func (p *program) env(name string) (string, bool) {
	for _, e := range p.Environ {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			return v, true
		}
	}
	return "", false
}

// printf prints a result for people.
func (p *program) printf(format string, args ...any) { fmt.Fprintf(p.people(), format, args...) }

// people returns the writer for results that people read. It escapes control characters in names
// and values.
func (p *program) people() io.Writer { return terminal.People(p.Stdout) }

// jsonOut returns the writer for results in JSON, which may be read on a terminal, too.
func (p *program) jsonOut() io.Writer { return terminal.JSON(p.Stdout) }

// note writes a remark to standard error.
func (p *program) note(format string, args ...any) { p.remark(notePrefix, format, args...) }

// chose writes a note on what the program chose to do unasked. A session marks it.
func (p *program) chose(format string, args ...any) {
	prefix := notePrefix
	if p.session {
		prefix = chosenPrefix
	}
	p.remark(prefix, format, args...)
}

func (p *program) remark(prefix, format string, args ...any) {
	p.progress.End()
	fmt.Fprintf(p.Stderr, "%s%s\n", prefix, table.Line(fmt.Sprintf(format, args...)))
}

// warn writes a line for each effect of the settings that is probably unwanted.
func (p *program) warn(texts ...string) {
	for _, text := range texts {
		p.progress.End()
		fmt.Fprintf(p.Stderr, warningPrefix+"%s\n", text)
	}
}

// helpShown stops parsing after --help was answered.
type helpShown struct{}

// newParser returns the parser of the command line, which fills e for every command. Only commands
// that args name get their flags, because building all flags would dominate the start-up time.
func newParser(e *everywhere, sys System) (*kong.Kong, error) {
	options := []kong.Option{
		kong.Name("unfold"), kong.Description(about), groups,
		kong.ConfigureHelp(helpOptions), kong.Help(shortHelp),
		kong.Writers(sys.Stdout, sys.Stderr),
		kong.Exit(func(int) { panic(helpShown{}) }),
	}
	for _, c := range commands {
		var grammar any = new(struct{})
		if slices.Contains(sys.Args, c.name) {
			grammar = c.new(sys.Kinds)
		}
		options = append(options, kong.DynamicCommand(c.name, c.help, c.group, grammar, c.tags...))
	}
	return kong.New(e, options...)
}

// oldFlags maps former names of flags to the present ones. They work for one more version.
var oldFlags = map[string]string{"--learn_alpha": "--learn-alpha"}

// renamed replaces former names of flags in args. It returns a note for each.
func renamed(args []string) (now, notes []string) {
	now = slices.Clone(args)
	for i, arg := range now {
		name, value, assigned := strings.Cut(arg, "=")
		to, old := oldFlags[name]
		if !old {
			continue
		}
		notes = append(notes, fmt.Sprintf("%s is now called %s; the old name goes with the next version", name, to))
		now[i] = to
		if assigned {
			now[i] += "=" + value
		}
	}
	return now, notes
}

// inGrammar translates common forms of the command line: "help fit" to "fit --help", "--version" to
// "version".
func inGrammar(args []string) []string {
	switch {
	case len(args) > 0 && args[0] == completeVerb:
		return args // the rest is another command line, typed in part
	case len(args) > 0 && args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case len(args) == 1 && args[0] == "--version":
		return []string{"version"}
	}
	return args
}

// Run runs the program and returns its exit code.
func Run(ctx context.Context, sys System) int { return execute(ctx, sys, nil) }

// execute is Run with a progress reporter. If heard is nil, it creates one.
func execute(ctx context.Context, sys System, heard *progress.Reporter) (code int) {
	screen := sys.Stderr // the reporter moves the cursor on it
	sys.Stderr = terminal.Messages(screen)
	if err := simd.Choice(); err != nil {
		return complain(sys.Stderr, &usageError{err: err})
	}
	sys.Args = inGrammar(sys.Args)
	var notes []string
	if len(sys.Args) > 0 && sys.Args[0] != completeVerb {
		sys.Args, notes = renamed(sys.Args)
	}
	var e everywhere
	parser, err := newParser(&e, sys)
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
	inside, err := limited()
	if err != nil {
		return complain(sys.Stderr, err)
	}
	most, err := supervised(&e, parsed)
	if err != nil {
		return complain(sys.Stderr, err)
	}
	if most > 0 && !inside {
		return complain(sys.Stderr, supervise(ctx, sys, screen, most, most == e.Untrusted, graceOf(parsed)))
	}
	if inside {
		defer func() {
			if code == exitUsage {
				code = limitedUsage
			}
		}()
	}
	p := &program{System: sys, untrusted: untrusted{memory: e.Untrusted}, limited: inside, progress: heard}
	if !e.Quiet && heard == nil {
		p.progress = progress.New(screen)
	}
	for _, n := range notes {
		p.note("%s", n)
	}
	p.remote.Progress, p.remote.Most, p.remote.Elsewhere = p.fetching, int64(e.MaxDownload), e.Redirects
	if p.untrusted.memory > 0 {
		ctx, p.untrusted.watch = watchReaders(ctx, untrustedTime)
	}
	err = endedBySlowDecode(ctx, runBounded(ctx, parsed, p))
	if closed := p.remote.Close(); err == nil {
		err = closed
	}
	if err != nil {
		p.progress.Abort()
	}
	return complain(sys.Stderr, err)
}

// wrongUsage turns a parser's error into a usage error with a pointer to the help.
func wrongUsage(err error) error {
	command := "unfold"
	var pe *kong.ParseError
	if errors.As(err, &pe) && pe.Context != nil {
		if node := pe.Context.Selected(); node != nil {
			command = node.FullPath()
			first := len(node.Positional) > 0 && node.Positional[0].Name == "model"
			if text := err.Error(); first && (strings.HasPrefix(text, "unknown flag -m") || strings.HasPrefix(text, "unknown flag --model")) {
				err = fmt.Errorf("the model is the first argument and has no flag: %s MODEL", command)
			}
		} else if what, ok := strings.CutPrefix(err.Error(), "unexpected argument "); ok {
			err = fmt.Errorf("there is no command %s", what)
		}
	}
	return &usageError{err: err, hint: fmt.Sprintf("see %s --help", command)}
}

// settingsOf returns a Config with the settings given as flags and defaults for the others.
func (p *program) settingsOf(values func() map[string]string, names keyNames) (*config.Config, error) {
	c := config.Defaults(p.Kinds...)
	for path, text := range values() {
		k, _ := config.Find(path, p.Kinds...)
		if err := k.Set(c, text); err != nil {
			name, _, _ := names(k)
			return nil, usagef("--%s: %v", name, err)
		}
	}
	return c, nil
}
