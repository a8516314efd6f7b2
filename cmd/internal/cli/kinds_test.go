package cli

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// toySettings are the settings of a test kind.
type toySettings struct {
	Setting int `key:"toy_setting" default:"1" min:"1" placeholder:"N" help:"how far the map lies from the origin."`
}

func (s *toySettings) Apply(_ fit.Given, to *fit.Spec) { to.Own = s }

// toy returns the default kind, shifted by its setting.
func toy(t *testing.T) fit.Kind {
	base, err := fit.Kinds{}.Find(fit.LVM)
	if err != nil {
		t.Fatal(err)
	}
	k := base
	kinds := func() fit.Kinds { return fit.With(k) }
	k.Name, k.About, k.Carried = "toy", "; toy is for a test", false
	k.Settings = func() fit.Settings { return new(toySettings) }
	k.Check = func(s fit.Spec) error {
		own, _ := s.Own.(*toySettings)
		if own != nil && own.Setting == 13 {
			return &models.SettingError{Name: "toy_setting", Problem: "13 brings bad luck"}
		}
		return nil
	}
	k.Learn = func(ctx context.Context, z vec.Matrix[float32], s fit.Spec, progress models.Progress) (*fit.Learnt, error) {
		learnt, err := base.Learn(ctx, z, s, progress)
		if err != nil {
			return nil, err
		}
		for i := range learnt.Mu.Data {
			learnt.Mu.Data[i] += float64(100 * s.Own.(*toySettings).Setting)
		}
		return learnt, nil
	}
	k.Open = func(s *snapshot.Snapshot, o placing.Options) (models.Placer, error) {
		if _, err := kinds().ParseSpec(s); err != nil {
			return nil, err
		}
		return base.Open(s, o)
	}
	k.Describe = func(s *snapshot.Snapshot) []fit.Line {
		spec, err := kinds().ParseSpec(s)
		if err != nil || spec.Own == nil {
			return nil
		}
		return []fit.Line{{Name: "toy setting", Value: fmt.Sprint(spec.Own.(*toySettings).Setting)}}
	}
	return k
}

// A new kind is one entry in a list. Its settings become flags, configuration keys, variables and
// help, and errors name flag and key. Its maps are learnt, stored, opened and described.
func TestNewKindIsOneEntry(t *testing.T) {
	t.Chdir(workspace(t))
	kinds := []fit.Kind{toy(t)}
	run := func(args ...string) (int, string, string) { return runWith(t, kinds, args...) }
	must := func(args ...string) string {
		t.Helper()
		code, stdout, stderr := run(args...)
		if code != 0 {
			t.Fatalf("unfold %s: exit %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
		}
		return stdout
	}
	base := []string{"fit", "small.csv", "--columns", "x,y,z", "--steps", "2", "-o", "m.unfold", "--map", "a.csv"}
	fitted := func(args ...string) (int, string) {
		code, _, stderr := run(append(base, args...)...)
		return code, stderr
	}
	help := must("fit", "--help-all")
	for _, want := range []string{"--toy-setting=N", "how far the map", "toy is for a test."} {
		if !strings.Contains(help, want) {
			t.Errorf("the help does not show %q", want)
		}
	}
	if code, stderr := fitted("--kind", "toy", "--toy-setting", "3"); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if out := must("inspect", "m.unfold"); !strings.Contains(out, "toy setting") || !strings.Contains(out, "3\n") {
		t.Errorf("inspect: %s", out)
	}
	must("embed", "small.csv", "-m", "m.unfold", "-o", "b.csv")
	one, two := cells(t, "a.csv", 7), cells(t, "b.csv", 7)
	if one != two {
		t.Errorf("embed places rows elsewhere than fit:\n%s\n%s", one, two)
	}
	at, err := strconv.ParseFloat(strings.Split(strings.Split(one, "\n")[1], ",")[0], 64)
	if err != nil || at < 200 || at > 400 {
		t.Errorf("the map lies at %v (%v), want about 300", at, err)
	}

	for _, c := range []struct{ name, flags, want string }{
		{"too small", "--kind toy --toy-setting 0", "--toy-setting: 0 is too small"},
		{"refused by the kind", "--kind toy --toy-setting 13", "--toy-setting: 13 brings bad luck"},
		{"of another kind", "--toy-setting 3", "--toy-setting: it goes with kind toy, not with lvm"},
		{"another kind's", "--kind toy --kernel rbf", "--kernel: it goes with kind gplvm, not with toy"},
		{"a range", "--kind toy --neighbors 6:9", "--neighbors: a range goes with kind lllvm, not with toy"},
		{"a range of dimensions", "--kind toy --dims 1:5", "--dims: a range goes with kind lllvm, not with toy"},
		{"no dimensions", "--dims auto", "--dims: \"auto\" is not a whole number"},
	} {
		if code, stderr := fitted(strings.Fields(c.flags)...); code != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %q; expected %q", c.name, code, stderr, c.want)
		}
	}

	stage := func(model string) string {
		return "source: {kafka: {brokers: [b:1], topic: t}}\nsink: {kafka: {topic: u}}\nmodel: " + model + "\n"
	}
	for _, c := range []struct{ name, model, want string }{
		{"good", "{kind: toy, toy_setting: 3}", ""},
		{"too small", "{kind: toy, toy_setting: 0}", "model.toy_setting: 0 is too small"},
		{"refused by the kind", "{kind: toy, toy_setting: 13}", "model.toy_setting: 13 brings bad luck"},
		{"misspelt", "{kind: toy, toy_seting: 3}", "did you mean model.toy_setting?"},
		{"of another kind", "{toy_setting: 3}", "model.toy_setting: it goes with kind toy, not with lvm"},
	} {
		if err := os.WriteFile("unfold.yaml", []byte(stage(c.model)), 0o666); err != nil {
			t.Fatal(err)
		}
		code, _, stderr := run("lint", "--offline")
		if (code == 0) != (c.want == "") || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %q; expected %q", c.name, code, stderr, c.want)
		}
	}
}

// Errors about several settings of a kind name no flag that the command lacks.
func TestProblemsOfAKindNameNoFlagThatIsNotThere(t *testing.T) {
	t.Chdir(workspace(t))
	code, _, stderr := run(t, "fit", "small.csv", "--columns", "x,y,z", "--dims", "5000", "--kind", "gplvm", "-o", "m.unfold")
	if code != exitUsage || strings.Contains(stderr, "--model") || !strings.Contains(stderr, "5000") {
		t.Errorf("exit %d, %q", code, stderr)
	}
}
