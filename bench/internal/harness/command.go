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

// Main runs a program until it is done or interrupted, and ends with its exit code.
func Main(run func(ctx context.Context) int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx))
}

// Command is the command line of a program that measures: flags that several have, and
// how it ends.
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

// Data adds the flag -data, a folder that holds something.
func (c *Command) Data(to *string, holds string) {
	c.StringVar(to, "data", os.Getenv("UNFOLD_DATA"), "folder that holds "+holds)
}

// HasData reports whether the folder is named, and says so if it is not.
func (c *Command) HasData(dir string) bool {
	if dir == "" {
		c.Say("name the data folder: -data DIR or UNFOLD_DATA=DIR")
	}
	return dir != ""
}

// Chosen splits a list and says what of it is unknown, if so. Nothing is all.
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

// Say writes a line of the command's.
func (c *Command) Say(format string, args ...any) {
	fmt.Fprintf(c.stderr, c.Name()+": "+format+"\n", args...)
}

// End is the exit code of a command that comes to an error, which is said, or to none.
func (c *Command) End(err error) int {
	if err != nil {
		c.Say("%v", err)
		return 1
	}
	return 0
}

// Written says what verdicts the figures of a page got, and returns the exit code.
func (c *Command) Written(page, figures string, verdicts map[string]int) int {
	fmt.Fprintf(c.stderr, "%s is written; %d %s are met, %d are missed, %d are not measured\n", page, verdicts[Met], figures, verdicts[Missed], verdicts[NotMeasured])
	return min(verdicts[Missed], 1)
}
