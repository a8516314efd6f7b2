package cli

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/models/fit"
)

var settingsFile = filepath.Join(repository, "docs", "reference", "settings.md")

// settingList returns the list of "unfold settings --json".
func settingList(t *testing.T) (all []settingInfo) {
	t.Helper()
	if err := json.Unmarshal([]byte(must(t, "settings", "--json")), &all); err != nil || len(all) < 100 {
		t.Fatalf("%d settings: %v", len(all), err)
	}
	return all
}

// docs/reference/settings.md equals the program's output.
func TestSettingsPage(t *testing.T) {
	want := must(t, "settings")
	if *update {
		if err := os.WriteFile(settingsFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if page(t, settingsFile) != want {
		t.Errorf("%s is out of date: run this test with -update", settingsFile)
	}
}

// The parameters of Python's Unfold are settings, under the names that their declarations have for
// Python, or flags of fit. Messages name each by the same name.
func TestPythonHasTheSettings(t *testing.T) {
	python := filepath.Join(repository, "python", "unfold_live")
	_, signature, _ := strings.Cut(page(t, filepath.Join(python, "_unfold.py")), "def __init__(\n        self,\n")
	signature, _, _ = strings.Cut(signature, ") -> None:")
	words := page(t, filepath.Join(python, "_words.py"))
	_, words, _ = strings.Cut(words, "_PARAMETERS = {")
	words, _, _ = strings.Cut(words, "#: Arguments")
	named := map[string]string{}
	for _, m := range regexp.MustCompile(`"([a-z0-9-]+)": "([a-z_]+)"`).FindAllStringSubmatch(words, -1) {
		named[m[1]] = m[2]
	}
	settings, flags := map[string]settingInfo{}, map[string]string{}
	for _, s := range settingList(t) {
		settings[s.Python], flags[s.Flag] = s, s.Python
	}
	found := 0
	for _, m := range regexp.MustCompile(`(?m)^        ([a-z0-9_]+):`).FindAllStringSubmatch(signature, -1) {
		name := m[1]
		s, isSetting := settings[name]
		switch {
		case !isSetting && !slices.Contains([]string{"precomputed_knn", "classify", "report", "memory", "settings", "verbose"}, name):
			t.Errorf("Python's parameter %s is no setting; the tag python of a setting has its name", name)
		case isSetting && named[s.Flag] != name && !strings.Contains(words, `"`+name+`"`):
			t.Errorf("messages about --%s do not name Python's parameter %s: add it to _PARAMETERS", s.Flag, name)
		case isSetting:
			found++
		}
	}
	if found < 15 {
		t.Errorf("only %d parameters are settings", found)
	}
	for flag, name := range named {
		if want, there := flags[flag]; there && want != name {
			t.Errorf("Python calls --%s %s; its declaration says %s", flag, name, want)
		}
	}
}

// No other file lists the settings of a section, the metrics or the kinds: it would become wrong
// when one is added.
func TestNothingElseListsSettings(t *testing.T) {
	var metrics, keys []string
	for _, m := range ingest.Metrics() {
		metrics = append(metrics, string(m))
	}
	for _, s := range settingList(t) {
		if strings.HasPrefix(s.Key, "model.") && s.Python == s.Flag {
			keys = append(keys, strings.TrimPrefix(s.Key, "model."))
		}
	}
	lists := map[string][]string{"metrics": metrics, "kinds": fit.Kinds{}.Names(), "settings": keys}
	allowed := []string{
		"docs/reference/settings.md", "CHANGELOG.md", "cmd/internal/cli/testdata/", "ingest/metric.go", // the table and what is made of it
		"python/unfold_live/_unfold.py", // its docstring, below
		"docs/", "bench/",               // pages and programs of measurements
	}
	for name, words := range lists {
		if len(words) < 8 {
			t.Fatalf("only %d %s", len(words), name)
		}
	}
	err := filepath.WalkDir(repository, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(repository, path)
		rel = filepath.ToSlash(rel)
		if d.IsDir() && (d.Name() == ".git" || rel == "out" || d.Name() == "node_modules" || rel == "testdata") {
			return filepath.SkipDir
		}
		guide := strings.HasPrefix(rel, "docs/") && strings.Count(rel, "/") == 1
		if !slices.Contains([]string{".go", ".py", ".md", ".ts"}, filepath.Ext(path)) || strings.HasSuffix(path, "_test.go") || d.Name() == "doc.go" || strings.Contains(rel, "tests/") ||
			!guide && slices.ContainsFunc(allowed, func(a string) bool { return strings.HasPrefix(rel, a) }) {
			return nil
		}
		text := page(t, path)
		lines := strings.Split(text, "\n")
		for i := range lines {
			near := strings.Join(lines[i:min(i+2, len(lines))], " ")
			for what, list := range lists {
				if n := count(near, list); n > 6 && (what != "settings" || filepath.Ext(path) != ".go") {
					t.Errorf("%s:%d lists %d %s; link to docs/reference/settings.md, or take them from their table", rel, i+1, n, what)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	doc := page(t, filepath.Join(repository, "python", "unfold_live", "_unfold.py"))
	for _, word := range slices.Concat(ingest.Euclidean.Choices(), fit.Kinds{}.Names()) {
		if !strings.Contains(doc, `"`+word+`"`) {
			t.Errorf("python/unfold_live/_unfold.py: the docstring does not have %q", word)
		}
	}
}

// count returns the number of words of the list in a text.
func count(text string, list []string) (n int) {
	fields := strings.FieldsFunc(text, func(r rune) bool { return !(r == '_' || r == '-' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9') })
	for _, word := range list {
		if slices.Contains(fields, word) {
			n++
		}
	}
	return n
}
