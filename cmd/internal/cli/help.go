package cli

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"unfold/cmd/internal/humanize"
)

// Tags of this program for its flags: tagRare marks a flag that only --help-all shows. tagChoices
// lists the values of a flag.
const (
	tagRare    = "rare"
	tagChoices = "choices"
)

var helpOptions = kong.HelpOptions{Compact: true, NoExpandSubcommands: true, NoAppDescFormat: true, FlagsLast: true, WrapUpperBound: 110}

// helpAll is the flag that shows the help of all flags.
type helpAll bool

// BeforeReset prints the full help before missing arguments are reported.
func (helpAll) BeforeReset(ctx *kong.Context) error {
	options := helpOptions
	options.ValueFormatter = kong.DefaultHelpValueFormatter
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	ctx.Kong.Exit(exitDone)
	return nil
}

// manyChoices is the number of choices from which help does not list them all as a placeholder.
const manyChoices = 8

// shortHelp prints the help on one screen: without the command's rare flags, and with the first
// phrase of the others' help. Without a command it prints everything.
func shortHelp(options kong.HelpOptions, ctx *kong.Context) error {
	rare := 0
	if command := ctx.Selected(); command != nil {
		for _, level := range command.AllFlags(false) {
			for _, f := range level {
				f.Help = firstPhrase(f.Help) + firstChoices(f.Tag.Get(tagChoices))
				// A command that finds clusters besides its own work lists the details of clusters with
				// its rare flags.
				if (f.Tag.Has(tagRare) || strings.HasPrefix(f.Name, clusterPrefix)) && !f.Hidden {
					f.Hidden = true
					rare++
				}
			}
		}
	}
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil || rare == 0 {
		return err
	}
	_, err := fmt.Fprintf(ctx.Stdout, "\nNot shown: details, and %s that few need; see %s --help-all.\n", humanize.Plural(rare, "flag"), ctx.Selected().FullPath())
	return err
}

// firstChoices returns a sentence with the first of many choices, "" for few.
func firstChoices(choices string) string {
	all := strings.Split(choices, ",")
	if len(all) < manyChoices {
		return ""
	}
	return fmt.Sprintf(" One of %s and %d others.", strings.Join(all[:3], ", "), len(all)-3)
}

// firstPhrase returns the help up to the first colon, semicolon or full stop outside parentheses, and
// the default.
func firstPhrase(help string) string {
	depth := 0
	for i, c := range help {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth == 0 && strings.ContainsRune(":;.", c) && strings.HasPrefix(help[i+1:], " "):
			short := help[:i] + "."
			if _, standard, ok := strings.Cut(help[i:], ". Default "); ok {
				standard, _, _ = strings.Cut(standard, ". ")
				short += " Default " + strings.TrimSuffix(standard, ".") + "."
			}
			return short
		}
	}
	return help
}
