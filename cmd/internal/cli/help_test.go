package cli

import (
	"strings"
	"testing"

	"unfold/cmd/internal/config"
)

// The short help shows only the common settings, the full help all.
func TestShortHelpShowsWhatIsCommon(t *testing.T) {
	short, whole := must(t, "run", "--help"), must(t, "run", "--help-all")
	shows := func(text string, k config.Key) bool {
		return strings.Contains(text, "  --"+k.Flag()+"=") || strings.Contains(text, "  --"+k.Flag()+" ")
	}
	common := 0
	for _, k := range config.Keys() {
		if shows(short, k) != k.Common {
			t.Errorf("the short help shows %s: %v, and it is common: %v", k.Path, !k.Common, k.Common)
		}
		if !shows(whole, k) {
			t.Errorf("the whole help does not show %s", k.Path)
		}
		if k.Required && !k.Common {
			t.Errorf("%s is required, and not common", k.Path)
		}
		if k.Common {
			common++
		}
	}
	if common < 20 || common > 40 {
		t.Errorf("%d settings are common; a short help has 20 to 40", common)
	}
}

// A former name of a flag is accepted, with a note that has the new one.
func TestOldFlagIsTaken(t *testing.T) {
	t.Chdir(workspace(t))
	for _, name := range []string{"--learn_alpha", "--learn_alpha=true"} {
		code, _, stderr := run(t, "fit", "small.csv", "--columns", "x,y,z", "--kind", "lllvm", "--steps", "2", "-o", "m.unfold", name)
		if want := "note: --learn_alpha is now called --learn-alpha"; code != 0 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %q; expected exit 0 and %q", name, code, stderr, want)
		}
	}
}

// The short help of fit fits on one screen. Each flag has the first phrase of its help and its
// default.
func TestShortHelpIsShort(t *testing.T) {
	short := must(t, "fit", "--help")
	if n := strings.Count(short, "\n"); n > 85 {
		t.Errorf("the short help of fit has %d lines", n)
	}
	for help, want := range map[string]string{
		"Where the map goes: one row each. Default none.": "Where the map goes. Default none.",
		"Missing (a: b; c. d) values: drop them.":         "Missing (a: b; c. d) values.",
		"Some. Default 0.9. More of it.":                  "Some. Default 0.9.",
		"The least, as 0.5.":                              "The least, as 0.5.",
	} {
		if got := firstPhrase(help); got != want {
			t.Errorf("%q becomes %q, want %q", help, got, want)
		}
	}
}
