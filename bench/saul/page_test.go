package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/bench/internal/harness"
)

// results returns small results of every experiment except levels.
func results() map[string]section {
	wrong := map[int]float64{1: 0.25, 9: 0.125}
	return map[string]section{
		"map": &mapResult{Digits: 1400, Free: fitted{Loglik: -11, CPU: 3}, Shared: fitted{Loglik: -22}, FreeWrong: wrong, SharedWrong: wrong,
			Variances: []float64{1, 2, 3, 4, 5, 6}, Decades: []decade{{-1, 40}, {0, 1360}}, All: 0.5, Sure: 0.75, Uncertain: 64},
		"dims": &dimsResult{Digits: 2100, Levels: [2][]byDimension{{{1, 0.5, 2}, {2, 0.25, 4}}, {{1, 0.5, 2}, {2, 0.375, 3}}}, PCA: []byDimension{{Dims: 1, Wrong: 0.625}, {Dims: 15, Wrong: 0.0625}}},
		"words": &wordsResult{Words: 8000, Dim: 300, CPU: 9, Rows: []recallRow{{"this model", 10, []float64{0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1}}},
			Near: []nearWords{{"word", []string{"phrase", "words"}, []string{"Word", "term"}}}},
		"graph": &graphResult{Digits: 70000, K: []int{5}, S: []int{1, 2}, Cells: []graphCell{{5, 1, 100, 0.5, 0.25, 7}, {5, 2, 200, 0.375, 0.125, 8}}},
		"roll":  &rollResult{Cells: []rollCell{{0, -4, 0.9, 0.8, rollClusters{3, 0.5}, 6}}, Sheet: rollClusters{2, 0.125}},
	}
}

// The page states the number of digits for each section, whatever the current settings, and omits
// sections without results.
func TestPage(t *testing.T) {
	dir := t.TempDir()
	b := &bench{figures: filepath.Join(dir, "saul"), digits: 9999}
	if err := os.Mkdir(b.figures, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, r := range results() {
		if err := harness.WriteJSON(b.result(name), r); err != nil {
			t.Fatal(err)
		}
	}
	page := filepath.Join(dir, "saul.md")
	if err := b.page(page); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	for _, want := range []string{
		", 400 iterations.",
		"## Figure 2: digits in two dimensions\n\n1400 digits, the first 1200 to train and the first 200 to test.\nk = 9",
		"25.00 % are misclassified by the nearest training digit on the map, 12.50 % by the nearest nine", "![1400 digits](saul/digits.png)",
		"| 1 | 2 | 3 | 4 | 5 | 6 |", "| 1e-1 to 1e0 | 40 |\n| 1e0 to 1e1 | 1360 |\n\nThe nine", "with the 100 most uncertain ones larger", "the class of 50.00 % of all digits, and of 75.00 % without the 5 % most uncertain ones", "drawn below, 64 lie among",
		"log-likelihood -22 instead of -11",
		"2100 digits, the first 1800 to train and the first 300 to test.\nk = 9, s = 2",
		"| 1 | 50.00 % | 2.0 s | 50.00 % | 2.0 s | 62.50 % |", "| 2 | 25.00 % | 4.0 s | 37.50 % | 3.0 s |  |", "| 15 | | | | | 6.25 % |",
		"From d = 1 to d = 2 the time grows 2.0 times with l = 1, and 1.5 times with l = 2. With d = 2, l = 2 takes 0.75 of", "digits: 0.67 of the time.",
		"| this model | 10 | 0.500 | 0.600 | 0.700 | 0.800 | 0.900 | 0.950 | 1.000 |", "| word | phrase, words | Word, term |",
		"All 70000 digits.\nl = 1", "| 5 | 2 | 200 | 37.50 % | 12.50 % | 8 s |", "(saul/graph.png)",
		"| 0 | -4 | 0.9000 | 0.8000 | 3 | 50.00 % | 6 s |", "| the sheet itself | | | | 2 | 12.50 % | |", "![l = 0](saul/roll-0.png)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, no := range []string{"S6", "9999", "%!", "NaN", " \n"} {
		if strings.Contains(text, no) {
			t.Errorf("the page has %q", no)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
	if err := os.WriteFile(b.result("levels"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := b.page(page); err == nil || !strings.Contains(err.Error(), "levels.json") {
		t.Errorf("a result that is cut off: %v", err)
	}
}

// The page in docs equals the page made from the results beside it.
func TestPageIsOfItsResults(t *testing.T) {
	docs, page := filepath.Join("..", "..", "docs"), filepath.Join(t.TempDir(), "saul.md")
	if err := (&bench{figures: filepath.Join(docs, "saul")}).page(page); err != nil {
		t.Fatal(err)
	}
	made, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(filepath.Join(docs, "saul.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(made, kept) {
		t.Error("docs/saul.md is not what its results say; make saul ARGS=\"-only words\" writes it again")
	}
}

// Figure S8 never claims more digits than there are.
func TestLevelsPage(t *testing.T) {
	cells := []levelCell{{1, -5, 0.5, 0.25, 3.5, 9}}
	for digits, want := range map[int]string{70000: "| 7000 | 1 | -5 | 50.00 % | 25.00 % | 3.50 | 9 s |", 1400: "| 1400 | 1 | -5 |"} {
		text := (&levelsResult{Digits: digits, All: cells, Few: cells}).markdown(&bench{figures: "saul"})
		if !strings.Contains(text, want) || !strings.Contains(text, fmt.Sprintf("| %d | 1 |", digits)) {
			t.Errorf("%d digits: no %q in\n%s", digits, want, text)
		}
		if got := strings.Contains(text, "(saul/level-1.png)"); got != (digits > few) {
			t.Errorf("%d digits: a picture of all is %v in\n%s", digits, got, text)
		}
	}
}

func TestCommandLine(t *testing.T) {
	t.Setenv("UNFOLD_DATA", "")
	dir := t.TempDir()
	page := filepath.Join(dir, "saul.md")
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"no data":         {[]string{}, 2, "UNFOLD_DATA=DIR"},
		"too few digits":  {[]string{"-data", dir, "-digits", "699"}, 2, "-digits: 699; there can be 700 to 70000"},
		"too many digits": {[]string{"-data", dir, "-digits", "70001"}, 2, "-digits: 70001"},
		"unknown":         {[]string{"-data", dir, "-only", "map,faces"}, 2, `there is no "faces"; there are map, dims, words, graph, levels, roll`},
		"data missing":    {[]string{"-data", dir, "-o", page, "-only", "map"}, 1, "saul: map: open "},
	} {
		var log strings.Builder
		if code := run(t.Context(), c.args, &log); code != c.code || !strings.Contains(log.String(), c.says) {
			t.Errorf("%s: exit code %d, %s", name, code, log.String())
		}
	}
}
