package harness

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
)

// Main runs a program until it ends or is interrupted, and exits with its exit code.
func Main(run func(ctx context.Context) int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx))
}

// Command is the command line of a measuring program, with flags that several programs share.
type Command struct {
	*flag.FlagSet
	stderr io.Writer
}

// NewCommand returns the command of that name, without flags.
func NewCommand(name string, stderr io.Writer) *Command {
	c := &Command{flag.NewFlagSet(name, flag.ContinueOnError), stderr}
	c.SetOutput(stderr)
	return c
}

// Data adds the flag -data. holds describes the folder's content.
func (c *Command) Data(to *string, holds string) {
	c.StringVar(to, "data", os.Getenv("UNFOLD_DATA"), "folder that holds "+holds)
}

// HasData reports whether the folder is given, and prints an error if not.
func (c *Command) HasData(dir string) bool {
	if dir == "" {
		c.Say("name the data folder: -data DIR or UNFOLD_DATA=DIR")
	}
	return dir != ""
}

// Chosen splits a list of names and reports unknown ones. An empty list means all.
func (c *Command) Chosen(only string, known []string) (list []string, ok bool) {
	if only == "" {
		return known, true
	}
	list = strings.Split(only, ",")
	for _, key := range list {
		if !slices.Contains(known, key) {
			c.Say("-only: there is no %q; there are %s", key, strings.Join(known, ", "))
			return nil, false
		}
	}
	return list, true
}

// Say prints a line with the command's name.
func (c *Command) Say(format string, args ...any) {
	fmt.Fprintf(c.stderr, c.Name()+": "+format+"\n", args...)
}

// End prints the error, if there is one, and returns the exit code.
func (c *Command) End(err error) int {
	if err != nil {
		c.Say("%v", err)
		return 1
	}
	return 0
}

// Written prints the verdicts on the figures of a page and returns the exit code.
func (c *Command) Written(page, figures string, verdicts map[string]int) int {
	fmt.Fprintf(c.stderr, "%s is written; %d %s are met, %d are missed, %d are not measured\n", page, verdicts[Met], figures, verdicts[Missed], verdicts[NotMeasured])
	return min(verdicts[Missed], 1)
}
