package harness

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// An error of the command line is printed with the command's name, and the exit code reports the
// result.
func TestCommand(t *testing.T) {
	t.Setenv("UNFOLD_DATA", "")
	var log strings.Builder
	c := NewCommand("taste", &log)
	var data string
	c.Data(&data, "fruit/")
	if err := c.Parse(nil); err != nil || c.HasData(data) {
		t.Errorf("data in %q, %v", data, err)
	}
	if err := c.Parse([]string{"-data", "here"}); err != nil || !c.HasData(data) || data != "here" {
		t.Errorf("data in %q, %v", data, err)
	}
	known := []string{"apples", "pears"}
	for only, want := range map[string][]string{"": known, "pears": {"pears"}, "pears,apples": {"pears", "apples"}, "pears,plums": nil} {
		if got, ok := c.Chosen(only, known); !slices.Equal(got, want) || ok != (want != nil) {
			t.Errorf("%q chooses %v, %v, want %v", only, got, ok, want)
		}
	}
	for want, got := range map[int]int{
		0: c.End(nil) + c.Written("page.md", "figures", map[string]int{Met: 3, NotMeasured: 1}),
		2: c.End(errors.New("sour")) + c.Written("page.md", "figures", map[string]int{Missed: 2}),
	} {
		if got != want {
			t.Errorf("exit codes add to %d, want %d", got, want)
		}
	}
	for _, line := range []string{
		"taste: name the data folder: -data DIR", `taste: -only: there is no "plums"; there are apples, pears`, "taste: sour",
		"page.md is written; 3 figures are met, 0 are missed, 1 are not measured",
	} {
		if !strings.Contains(log.String(), line) {
			t.Errorf("%q is not said in:\n%s", line, log.String())
		}
	}
}

// The peers' environment is created in OUT. One given by the user is left as it is.
func TestPeers(t *testing.T) {
	for _, args := range [][]string{nil, {"-venv", "theirs", "-skip-peers"}} {
		var p Peers
		c := NewCommand("taste", io.Discard)
		c.Peers(&p, "")
		if err := c.Parse(args); err != nil {
			t.Fatal(err)
		}
		made := 0
		stop := errors.New("no Python here")
		out := t.TempDir()
		err := p.Make(t.Context(), out, []byte("numpy\n"), t.Logf, func(_ context.Context, name string, args ...string) error {
			if made++; name != "python3" || args[len(args)-1] != filepath.Join(out, "venv") {
				t.Errorf("it runs %s %q", name, args)
			}
			return stop
		})
		if own := args == nil; p.Skip == own || (made == 1) != own || (err != nil) != own || (p.Dir(out) == "theirs") == own {
			t.Errorf("%q: %+v in %s, made %d times, %v", args, p, p.Dir(out), made, err)
		}
	}
}
