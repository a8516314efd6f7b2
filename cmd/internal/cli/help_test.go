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
