package cli

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A weight far above the default causes one warning with both figures: in a fit, which has 200
// rows, and in lint and the stage, for a full reference set. Usable weights cause none.
func TestHeavyWeightsAreWarnedOf(t *testing.T) {
	t.Chdir(t.TempDir())
	configuration := misspeltTopic(t, 150) // the stage ends by itself
	var rows strings.Builder
	rows.WriteString("x,y,z\n")
	r := rand.New(rand.NewPCG(44, 1))
	for range 200 {
		fmt.Fprintf(&rows, "%.4f,%.4f,%.4f\n", r.NormFloat64(), r.NormFloat64(), r.NormFloat64())
	}
	write(t, "rows.csv", rows.String())
	fit := []string{"-q", "fit", "rows.csv", "--columns", "x,y,z", "-o", "m.unfold", "--steps", "20"}
	stage := []string{"-c", configuration, "--source-vector", "", "--source-id"}
	for _, c := range []struct {
		args []string
		want string // for weight 13
	}{
		{fit, "warning: weight 13 is 13 times the default for 200 points, 1: above 12 times the map loses neighbours, "},
		{append(fit, "--dry-run"), "warning: weight 13 is 13 times the default for 200 points, 1: above 12 times the map loses neighbours, "},
		{append([]string{"lint", "--offline"}, append(stage, "event_id", "--reference-size", "50000")...), "note     the configuration: weight 13 is 151 times the default for 50000 points, 0.086: above 12 times the map loses neighbours, "},
		{append([]string{"run"}, append(stage, "eventid", "--reference-min", "120", "--reference-size", "50000")...), "weight 13 is 151 times the default for 50000 points, 0.086: above 12 times the map loses neighbours, "},
	} {
		flag := "--weight"
		if c.args[0] == "lint" || c.args[0] == "run" {
			flag = "--model-weight"
		}
		_, out, stderr := run(t, append(c.args, flag, "13")...)
		if text := out + stderr; strings.Count(text, c.want) != 1 || strings.Count(text, " times the default for ") != 1 {
			t.Errorf("%v prints\n%s\nwant one %q", c.args, text, c.want)
		}
		_, out, stderr = run(t, append(c.args, flag, "1")...)
		if text := out + stderr; strings.Contains(text, " times the default for ") {
			t.Errorf("%v with weight 1 prints\n%s", c.args, text)
		}
	}
}
