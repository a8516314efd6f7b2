package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// csvOf writes rows of a bent sheet, some of whose cells are empty or NaN. If empty is set, one row
// is completely empty.
func csvOf(t *testing.T, rows int, empty bool) string {
	t.Helper()
	rnd := rand.New(rand.NewPCG(5, 5))
	var b strings.Builder
	b.WriteString("id,a,b,c,d\n")
	for i := range rows {
		u, v := rnd.Float64(), rnd.Float64()
		cells := []string{fmt.Sprintf("%.6f", u), fmt.Sprintf("%.6f", v), fmt.Sprintf("%.6f", math.Sin(2*u)), fmt.Sprintf("%.6f", u*v)}
		switch {
		case i == 7 && empty:
			cells = []string{"", "", "", ""}
		case i%5 == 0:
			cells[i/5%4] = ""
		case i%7 == 0:
			cells[1] = "NaN"
		}
		fmt.Fprintf(&b, "%d,%s\n", i, strings.Join(cells, ","))
	}
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Kind gplvm learns rows with missing values in all its variants, and places them as in the fit.
// Other kinds, and rows without any value, are rejected.
func TestMissingValuesEndToEnd(t *testing.T) {
	in := csvOf(t, 80, false)
	for name, flags := range map[string]string{
		"scg": "", "lbfgs from isomap": "--optimizer lbfgs --start isomap", "active": "--active 30 --points 60 --steps 4", "graph": "--start graph --smooth",
	} {
		dir := t.TempDir()
		model, one, two, report := filepath.Join(dir, "m.unfold"), filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv"), filepath.Join(dir, "r.json")
		args := append([]string{"fit", in, "--kind", "gplvm", "--columns", "a,b,c,d", "--id", "id", "--steps", "8", "-o", model, "--map", one, "--report", report}, strings.Fields(flags)...)
		if code, _, errs := run(t, args...); code != 0 {
			t.Fatalf("%s: fit: %d %s", name, code, errs)
		}
		if code, _, errs := run(t, "embed", in, "-m", model, "-o", two); code != 0 {
			t.Fatalf("%s: embed: %d %s", name, code, errs)
		}
		if code, _, errs := run(t, "embed", in, "-m", model, "-o", two, "--missing", "error"); code != exitBadInput || !strings.Contains(errs, `column "a": the value is missing`) {
			t.Errorf("%s: embed takes missing values for no error: %d %s", name, code, errs)
		}
		if a, b := cells(t, one, 3), cells(t, two, 3); a != b {
			t.Errorf("%s: embed does not place rows where fit did:\n%s\n%s", name, a, b)
		}
		raw, err := os.ReadFile(report)
		if err != nil {
			t.Fatal(err)
		}
		var r struct {
			Trustworthiness *float64 `json:"trustworthiness"`
			Model           struct {
				Filled int               `json:"filled"`
				Active int               `json:"active"`
				Runs   []json.RawMessage `json:"runs"`
			} `json:"model"`
		}
		if err := json.Unmarshal(raw, &r); err != nil {
			t.Fatal(err)
		}
		if r.Model.Filled < 20 || (r.Model.Active == 30) != (name == "active") || len(r.Model.Runs) != 1 || r.Trustworthiness == nil {
			t.Errorf("%s: report %s", name, raw)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--kind", "lvm"}, "missing"},
		{[]string{"--kind", "gplvm", "--missing", "error"}, `column "a": the value is missing`},
		{[]string{"--kind", "gplvm", "--pca", "2"}, "pca none"},
		{[]string{"--kind", "gplvm", "--dims", "5"}, "at most as many dimensions"},
		{[]string{"--kind", "gplvm", "--active", "2"}, "at least 4"},
		{[]string{"--kind", "gplvm", "--start", "random"}, "pca, isomap, graph"},
	} {
		code, _, errs := run(t, append([]string{"fit", in, "--columns", "a,b,c,d", "-o", filepath.Join(t.TempDir(), "m")}, c.args...)...)
		if code == 0 || !strings.Contains(errs, c.want) {
			t.Errorf("%v: %d %s", c.args, code, errs)
		}
	}
	empty := csvOf(t, 80, true)
	code, _, errs := run(t, "fit", empty, "--kind", "gplvm", "--columns", "a,b,c,d", "-o", filepath.Join(t.TempDir(), "m"))
	if code != exitBadInput || !strings.Contains(errs, "row 7: all values are missing") {
		t.Errorf("a row of nothing: %d %s", code, errs)
	}
}

// cells returns the last columns of a CSV file's rows, in their order.
func cells(t *testing.T, path string, last int) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, line := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		words := strings.Split(line, ",")
		out = append(out, strings.Join(words[max(0, len(words)-last):], ","))
	}
	return strings.Join(out, "\n")
}

// With --loglik outputs have log-likelihoods, also for rows with missing values. Without it, and
// for kinds without a likelihood, there is no such column.
func TestEmbedLogLik(t *testing.T) {
	in, dir := csvOf(t, 60, false), t.TempDir()
	for kind, takes := range map[string]bool{"gplvm": true, "isomap": false} {
		model, out := filepath.Join(dir, kind+".unfold"), filepath.Join(dir, kind+".csv")
		missing := map[bool]string{true: "auto", false: "drop"}[takes]
		must(t, "fit", in, "--kind", kind, "--columns", "a,b,c,d", "--id", "id", "--steps", "4", "--missing", missing, "-o", model)
		if !takes {
			if code, _, errs := run(t, "embed", in, "-m", model, "-o", out, "--loglik", "--missing", "drop"); code != exitUsage || !strings.Contains(errs, "--loglik: ") || !strings.Contains(errs, "kind isomap have no likelihood") {
				t.Errorf("%s: %d %s", kind, code, errs)
			}
			continue
		}
		must(t, "embed", in, "-m", model, "-o", out, "--loglik")
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		column := slices.Index(strings.Split(lines[0], ","), "loglik")
		if column < 0 || len(lines) != 61 {
			t.Fatalf("%d lines below %s", len(lines)-1, lines[0])
		}
		for i, line := range lines[1:] {
			v, err := strconv.ParseFloat(strings.Split(line, ",")[column], 64)
			if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
				t.Errorf("row %d has the log-likelihood %g, %v", i, v, err)
			}
		}
		must(t, "embed", in, "-m", model, "-o", out)
		if text, err := os.ReadFile(out); err != nil || strings.Contains(string(text), "loglik") {
			t.Errorf("without being asked for it there is a column loglik, or %v", err)
		}
	}
}
