package archtest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"unfold/internal/testkit/tier"
)

// repository is the path of the repository.
const repository = "../../.."

// insertion is text that a step of docs/extending.md adds to a file, before the anchor.
type insertion struct{ file, anchor, text string }

// axes is an entry of a kind that places by another's model.
const axes = `	func() Kind {
		k := textbook(baseline.PCA, ", and axes, for a test")
		open := k.Open
		k.Name, k.Open = "axes", func(s *snapshot.Snapshot, o placing.Options) (models.Placer, error) {
			own := *s
			own.Kind = string(baseline.PCA)
			return open(&own, o)
		}
		return k
	}(),
`

// additions are the steps of each section that change code, by the section's title.
var additions = map[string][]insertion{
	"A setting": {
		{"cmd/internal/config/config.go", "\tPoint      string   `key:\"point\"", "\tMotto string `key:\"motto\" help:\"A sentence below the title.\" placeholder:\"TEXT\"`\n"},
		{"models/fit/settings_lvm.go", "\tFrame     string         `key:\"frame\"", "\tMood string `key:\"mood\" default:\"calm\" choices:\"calm,wild\" help:\"How the map feels.\"`\n"},
	},
	"A kind of model": {
		{"models/fit/kinds.go", "}\n\n// Kinds are the kinds", axes},
	},
	"A distance": {
		{"sparse/distance/distance.go", "\tminkowski // without", "\tLorentz\n"},
		{"sparse/distance/distance.go", "\tminkowski: {\n", "\tLorentz: {name: \"lorentz\", about: \"the sum of logarithms of differences is small\", term: func(a, b float64) float64 { return math.Log1p(difference(a, b)) }},\n"},
	},
	"A format of files": {
		{"ingest/input/format.go", "\tWords   Format =", "\tBangs Format = \"bangs\"\n"},
		{"ingest/formats.go", "\t{format: input.SVM,", "\t{format: input.Bangs, names: \".bangs\", is: byHead(func(head []byte) bool { return len(head) > 3 && string(head[:3]) == \"!!\\n\" }), open: func(in *input.Source, o Options) (table.Reader, error) {\n\t\to.CSV.Skip, o.CSV.Comma = 1, '!'\n\t\treturn csv.NewReader(in, o.CSV, o.BatchRows, o.inferred)\n\t}},\n"},
		{"ingest/input/expand.go", "\".npy\"}", "\".bangs\", "},
	},
	"A metric of Prometheus": {
		{"cmd/internal/metrics/map.go", "\t\t{\"map_diameter\",", "\t\t{\"map_width\", \"Half of the diameter.\", func(f *stream.Stats) float64 { return f.Diameter / 2 }},\n"},
	},
	"A figure of the page": {
		{"cmd/internal/stage/display.go", "\tif n := b.delivered - a.delivered; n > 0 {", "\ts.Figures[\"placed\"] = float64(b.placed)\n"},
		{"web/src/pulse.ts", "  [\"maps\", \"maps\", figure]", "  [\"placed\", \"placed\", figure],\n"},
	},
	"A button of the page": {
		{"web/src/toolbar.ts", "  help(): void;", "  shake(): void;\n"},
		{"web/src/toolbar.ts", "    this.add(\"Keys (?)\"", "    this.add(\"Shake the map (Q)\", \"M4 4l16 16\", on.shake);\n"},
		{"web/src/keys.ts", "  [\"D\", \"light or dark\"],", "  [\"Q\", \"shake the map\"],\n"},
		{"web/src/app.ts", "home: () => actions.home(0), compare:", "shake: () => moves.home(true), "},
	},
}

// TestExtending follows docs/extending.md in a copy: it makes the changes of all sections, each in
// files that its section names, builds the program, and uses what was added. Tests of what else is
// to be changed name the files.
func TestExtending(t *testing.T) {
	tier.Full(t, "it builds the program with additions")
	page, err := os.ReadFile(filepath.Join(repository, "docs", "extending.md"))
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for section := range strings.SplitSeq(string(page), "\n## ") {
		title, text, _ := strings.Cut(section, "\n")
		sections[title] = text
	}
	dir := t.TempDir()
	changed := map[string]string{}
	for title, steps := range additions {
		if sections[title] == "" {
			t.Errorf("docs/extending.md has no section %q", title)
		}
		for _, s := range steps {
			if !strings.Contains(sections[title], "`"+s.file+"`") {
				t.Errorf("section %q does not name %s", title, s.file)
			}
			changed[s.file] = s.into(t, changed[s.file])
		}
	}
	overlay := overlayOf(t, dir, changed)
	program := filepath.Join(dir, "unfold")
	command(t, "", repository, "go", "build", "-ldflags", "-s -w", "-overlay", overlay, "-o", program, "./cmd/unfold")
	t.Run("program", func(t *testing.T) { useAdditions(t, dir, program) })
	t.Run("tests", func(t *testing.T) { failingTests(t, overlay) })
	t.Run("page", func(t *testing.T) { checkPage(t, dir, changed) })
}

// into inserts the text into a file's content, which is read if it is "".
func (s insertion) into(t *testing.T, content string) string {
	t.Helper()
	if content == "" {
		text, err := os.ReadFile(filepath.Join(repository, s.file))
		if err != nil {
			t.Fatal(err)
		}
		content = string(text)
	}
	if strings.Count(content, s.anchor) != 1 {
		t.Fatalf("%s has %d times %q, want 1", s.file, strings.Count(content, s.anchor), s.anchor)
	}
	return strings.Replace(content, s.anchor, s.text+s.anchor, 1)
}

// overlayOf writes the changed Go files and returns the path of an overlay for the go command.
func overlayOf(t *testing.T, dir string, changed map[string]string) string {
	t.Helper()
	absolute, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for file, text := range changed {
		if filepath.Ext(file) != ".go" {
			continue
		}
		path := filepath.Join(dir, strings.ReplaceAll(file, "/", "-"))
		writeFile(t, path, text)
		replace[filepath.Join(absolute, file)] = path
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "overlay.json")
	writeFile(t, path, string(text))
	return path
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// command runs a command in a folder and returns its output. It fails unless the command does so as
// expected: fails is "", or part of the output of a command that fails.
func command(t *testing.T, fails, folder string, words ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), words[0], words[1:]...)
	c.Dir = folder
	out, err := c.CombinedOutput()
	if (err != nil) != (fails != "") || !strings.Contains(string(out), fails) {
		t.Errorf("%s: %v\n%s\nwant %q", strings.Join(words, " "), err, out, fails)
	}
	return string(out)
}

// useAdditions uses the settings, the kind, the distance and the format of files.
func useAdditions(t *testing.T, dir, program string) {
	rows := "!!\na!b\n"
	for _, row := range []string{"1!2", "2!1", "2!3", "4!1", "9!8", "8!9", "7!7", "9!5", "3!3", "5!5", "6!1", "1!6"} {
		rows += row + "\n"
	}
	writeFile(t, filepath.Join(dir, "rows.bangs"), rows)
	if help := command(t, "", dir, program, "run", "--help-all"); !strings.Contains(help, "--page-motto=TEXT") || !strings.Contains(help, "--model-mood=calm|wild") {
		t.Errorf("the help of run has not the new settings:\n%s", help)
	}
	fit := []string{program, "-q", "fit", "rows.bangs", "--steps", "2"}
	command(t, "", dir, append(fit, "--metric", "lorentz", "--mood", "wild", "--map", "lorentz.csv")...)
	command(t, "", dir, append(fit, "--kind", "axes", "-o", "axes.unfold", "--map", "axes.csv")...)
	command(t, `--mood: "sad" is none of calm, wild`, dir, append(fit, "--mood", "sad", "--map", "x.csv")...)
	if about := command(t, "", dir, program, "inspect", "axes.unfold"); !strings.Contains(about, " axes\n") {
		t.Errorf("the model is\n%s", about)
	}
}

// failingTests runs the tests that hold other files to the tables. They fail, and name these.
func failingTests(t *testing.T, overlay string) {
	said := command(t, "FAIL", repository, "go", "test", "-overlay", overlay, "./cmd/internal/cli", "./cmd/internal/metrics", "-run",
		"TestSettingsPage|TestNothingElseListsSettings|TestDashboardAndAlertsNameMetrics")
	for _, file := range []string{"docs/reference/settings.md", "python/unfold_live/_unfold.py", "deploy/grafana"} {
		if !strings.Contains(said, file) {
			t.Errorf("no failing test names %s:\n%s", file, said)
		}
	}
}

// checkPage checks the types of the changed page.
func checkPage(t *testing.T, dir string, changed map[string]string) {
	modules, err := filepath.Abs(filepath.Join(repository, "web", "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "typescript")); err != nil {
		tier.Missing(t, "web/node_modules has no TypeScript: npm ci in web")
	}
	web := filepath.Join(dir, "web")
	if err := os.CopyFS(filepath.Join(web, "src"), os.DirFS(filepath.Join(repository, "web", "src"))); err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(filepath.Join(repository, "web", "tsconfig.json"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(web, "tsconfig.json"), string(config))
	if err := os.Symlink(modules, filepath.Join(web, "node_modules")); err != nil {
		t.Fatal(err)
	}
	for file, text := range changed {
		if strings.HasPrefix(file, "web/") {
			writeFile(t, filepath.Join(dir, file), text)
		}
	}
	command(t, "", web, "node", filepath.Join(modules, "typescript", "bin", "tsc"), "--noEmit")
}
