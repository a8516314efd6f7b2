package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// numbered are names from the first to the last: Figure 1, Figure 2, ...
func numbered(kind string, first, last int) (names []string) {
	for n := first; n <= last; n++ {
		names = append(names, kind+strconv.Itoa(n))
	}
	return names
}

// TestEveryFigureOfThePapersHasItsRow holds docs/reference/papers.md to the papers: each of their tables
// and figures has one row, in the section of its paper, with a verdict that the page explains.
func TestEveryFigureOfThePapersHasItsRow(t *testing.T) {
	want := map[string][]string{
		"Saul 2020":                   slices.Concat(numbered("Figure ", 1, 4), numbered("Table ", 1, 1), numbered("Figure S", 1, 10), numbered("Table S", 1, 2)),
		"Park et al. 2015":            numbered("Figure ", 1, 6),
		"Lawrence 2005":               slices.Concat(numbered("Figure ", 1, 10), numbered("Table ", 1, 5)),
		"Andrade-Pacheco et al. 2014": nil,
	}
	verdicts, got, paper := map[string]bool{}, map[string][]string{}, ""
	for line := range strings.Lines(readPage(t, "reference/papers.md")) {
		if head, ok := strings.CutPrefix(line, "## "); ok {
			paper = strings.TrimSpace(head)
			got[paper] = nil
		}
		cells := strings.Split(line, "|")
		if len(cells) < 4 || strings.HasPrefix(line, "|---") || strings.TrimSpace(cells[1]) == "" {
			continue
		}
		name, verdict := strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])
		if paper == "" {
			verdicts[name] = true
			continue
		}
		got[paper] = append(got[paper], name)
		if !verdicts[verdict] {
			t.Errorf("%s, %s: the page does not explain %q", paper, name, verdict)
		}
		if verdict != "no measurement" && !strings.Contains(cells[3], "](") {
			t.Errorf("%s, %s: %q without the page that shows it", paper, name, verdict)
		}
	}
	for paper, names := range want {
		slices.Sort(names)
		if has := slices.Sorted(slices.Values(got[paper])); !slices.Equal(has, names) {
			t.Errorf("%s has rows %v, want %v", paper, has, names)
		}
	}
	if len(got) != len(want) {
		t.Errorf("there are sections of %d papers, want %d", len(got), len(want))
	}
}

// TestPapersLeadToHeadings checks that docs/reference/papers.md links to headings that exist.
func TestPapersLeadToHeadings(t *testing.T) {
	checked := 0
	for _, m := range regexp.MustCompile(`\]\(((?:\.\./)?[a-z]+\.md)#([^)]+)\)`).FindAllStringSubmatch(readPage(t, "reference/papers.md"), -1) {
		checked++
		if !anchors(readPage(t, filepath.Join("reference", m[1])))[m[2]] {
			t.Errorf("docs/reference/papers.md links to %s of %s, which has no such heading", m[2], m[1])
		}
	}
	if checked == 0 {
		t.Error("docs/reference/papers.md links to no heading")
	}
}

// TestPapersCommandsExist checks that every make command of docs/reference/papers.md is one of the
// Makefile's, and that make papers does all the others.
func TestPapersCommandsExist(t *testing.T) {
	makefile := readPage(t, filepath.Join(root, "Makefile"))
	all := regexp.MustCompile(`(?m)^papers: (.*)$`).FindStringSubmatch(makefile)
	if all == nil {
		t.Fatal("the Makefile has no papers")
	}
	for _, m := range regexp.MustCompile("`make ([a-z]+)`").FindAllStringSubmatch(readPage(t, "reference/papers.md"), -1) {
		if m[1] != "papers" && !slices.Contains(strings.Fields(all[1]), m[1]) {
			t.Errorf("docs/reference/papers.md names make %s, which make papers does not do", m[1])
		}
		if !strings.Contains(makefile, "\n"+m[1]+": ") {
			t.Errorf("docs/reference/papers.md names make %s, which the Makefile does not have", m[1])
		}
	}
}

func TestAnchors(t *testing.T) {
	got := anchors("# The page\n\n## Figures 3 and S10: test, time\n\n### Labels `a-b` on it\n\nno # heading\n")
	for _, want := range []string{"the-page", "figures-3-and-s10-test-time", "labels-a-b-on-it"} {
		if !got[want] {
			t.Errorf("no %s in %v", want, got)
		}
	}
	if len(got) != 3 {
		t.Errorf("%v, want three", got)
	}
}

// anchors are the headings of a page as links name them: small letters, without punctuation, a
// hyphen for each blank.
func anchors(page string) map[string]bool {
	all := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(page, -1) {
		plain := regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all[strings.ReplaceAll(plain, " ", "-")] = true
	}
	return all
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
