package cli

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fit uses the columns that inspect suggests for a table without vectors, and reports them.
func TestFitTakesWhatInspectSuggests(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	text := "id,a,b,color\n"
	for i := range 60 {
		b := fmt.Sprintf("%g", 100*math.Cos(float64(i)))
		if i == 7 {
			b = ""
		}
		text += fmt.Sprintf("%d,%g,%s,%s\n", i, math.Sin(float64(i)), b, []string{"red", "green"}[i%2])
	}
	write(t, filepath.Join(dir, "plain.csv"), text)
	const options = "--columns '*' --label color --id id --standardize --missing mean"
	if out := must(t, "inspect", "plain.csv"); !strings.Contains(out, "for fit: "+options) {
		t.Errorf("inspect suggests\n%s", out)
	}
	code, _, notes := run(t, "-q", "fit", "plain.csv", "-o", "own.unfold", "--map", "own.csv", "--steps", "5")
	if code != 0 || !strings.Contains(notes, `column "color" is taken as the label`) || !strings.Contains(notes, "to have it there: --columns '*,color' --id id --standardize --missing mean\n") {
		t.Errorf("exit %d, fit notes %s", code, notes)
	}
	must(t, "-q", "fit", "plain.csv", "-o", "said.unfold", "--map", "said.csv", "--steps", "5", "--columns", "*", "--label", "color", "--id", "id", "--standardize", "--missing", "mean")
	if own, said := page(t, "own.csv"), page(t, "said.csv"); own != said {
		t.Error("the map of what is suggested differs from that of the options")
	}
}

// score reads a table without vectors as fit does.
func TestScoreReadsTheTableAsFit(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "species,a,b\n"
	for i := range 60 {
		text += fmt.Sprintf("%s,%g,%g\n", []string{"cat", "dog"}[i%2], math.Sin(float64(i))+float64(9*(i%2)), math.Cos(float64(i)))
	}
	write(t, "pets.csv", text)
	must(t, "-q", "fit", "pets.csv", "-o", "m.unfold", "--map", "map.csv", "--steps", "20")
	out := must(t, "-q", "score", "map.csv", "--data", "pets.csv") // the map's only column of classes is the label
	if !strings.Contains(out, "1-NN               1.0000") || !strings.Contains(out, "trustworthiness") {
		t.Errorf("score prints\n%s", out)
	}
}

// The map of a guessed label is drawn in its colours. The error for a missing column names the
// columns of the map, and how to add more.
func TestPlotColorsByTheGuessedLabel(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "species,island,a,b\n"
	for i := range 60 {
		text += fmt.Sprintf("%s,%s,%g,%g\n", []string{"cat", "dog"}[i%2], []string{"x", "y", "z"}[i%3], math.Sin(float64(i)), math.Cos(float64(i)))
	}
	write(t, "pets.csv", text)
	must(t, "-q", "fit", "pets.csv", "-o", "m.unfold", "--map", "map.csv", "--steps", "5")
	must(t, "-q", "plot", "map.csv", "-o", "own.svg")
	must(t, "-q", "plot", "map.csv", "-o", "named.svg", "--color", "species")
	if own := page(t, "own.svg"); own != page(t, "named.svg") || !strings.Contains(own, "dog") {
		t.Error("the picture is not that of --color species")
	}
	code, _, stderr := run(t, "-q", "plot", "map.csv", "-o", "x.svg", "--color", "island")
	if code != exitBadInput || !strings.Contains(stderr, "the columns are id, species, sigma") || !strings.Contains(stderr, "fit --keep names, and --beside FILE adds") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	must(t, "-q", "plot", "map.csv", "-o", "x.svg", "--beside", "pets.csv", "--color", "island")
}

// Every command accepts a map of another program.
func TestMapsOfOtherPrograms(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, head := range map[string]string{"xy.csv": "name,x,y,label", "umap.csv": "name,UMAP1,UMAP2,label"} {
		text := head + "\n"
		for i := range 60 {
			text += fmt.Sprintf("p%d,%g,%g,%s\n", i, math.Sin(float64(i))+float64(5*(i%2)), math.Cos(float64(i)), []string{"red", "green"}[i%2])
		}
		write(t, filepath.Join(dir, name), text)
		must(t, "-q", "plot", name, "-o", "map.svg", "--color", "label")
		if out := must(t, "-q", "score", name, "--label", "label"); !strings.Contains(out, "1-NN               1.0000") {
			t.Errorf("%s: %s", name, out)
		}
		if out := must(t, "-q", "clusters", name, "--min-size", "10"); !strings.Contains(out, "2 clusters") {
			t.Errorf("%s: %s", name, out)
		}
	}
}

// fit chooses no scale, means or times for a metric that does not take them.
func TestSuggestionFitsTheMetric(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "at,city,color,a\n"
	for i := range 40 {
		city := []string{"Oslo", "Rome", "Bern", "Kyiv"}[i%4]
		text += fmt.Sprintf("2024-05-%02d,%s,%s,%d\n", 1+i%28, city, []string{"red", "green", "blue"}[i%3], i%5)
	}
	write(t, "kinds.csv", text)
	_, _, notes := run(t, "-q", "fit", "kinds.csv", "--metric", "hamming", "-o", "m.unfold", "--map", "map.csv", "--steps", "5")
	if !strings.Contains(notes, "as with --columns '*,city,color'\n") {
		t.Errorf("fit notes %s", notes)
	}
	if rows := strings.Count(page(t, "map.csv"), "\n"); rows != 41 {
		t.Errorf("the map has %d lines", rows)
	}
}

// The command for a picture names the label that fit chose. A name with spaces is quoted.
func TestFitNamesTheColorOfItsMap(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "a,b,Target,my kind\n"
	for i := range 40 {
		text += fmt.Sprintf("%g,%g,%d,k%d\n", math.Sin(float64(i)), math.Cos(float64(i)), i%2, i%3)
	}
	write(t, "data.csv", text)
	for _, c := range []struct{ label, want string }{{"", "--color Target\n"}, {"my kind", "--color 'my kind'\n"}} {
		args := []string{"-q", "fit", "data.csv", "--columns", "a,b", "--label", c.label, "-o", "m.unfold", "--map", "map.csv", "--steps", "5"}
		if c.label == "" {
			args = slices.Delete(args, 3, 7)
		}
		if out := must(t, args...); !strings.Contains(out, c.want) {
			t.Errorf("fit prints\n%s", out)
		}
	}
}

// A table of vectors is no map, even if the vectors have a map's column name.
func TestInspectTellsVectorsFromMaps(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "data.jsonl", strings.Repeat("{\"id\":1,\"embedding\":[1,2,3]}\n{\"id\":2,\"embedding\":[3,1,2]}\n{\"id\":3,\"embedding\":[0,1,4]}\n", 5))
	if out := must(t, "inspect", "data.jsonl"); strings.Contains(out, "a map") || !strings.Contains(out, `fit takes the vectors in "embedding"`) {
		t.Errorf("inspect prints\n%s", out)
	}
	must(t, "-q", "fit", "data.jsonl", "-o", "m.unfold", "--map", "map.jsonl", "--steps", "5")
	if out := must(t, "inspect", "map.jsonl"); !strings.Contains(out, ", a map") {
		t.Errorf("inspect prints\n%s", out)
	}
}

// Verbs whose model is the first argument advise that where it is given by the flag of embed.
func TestModelIsTheFirstArgument(t *testing.T) {
	for _, args := range [][]string{
		{"update", "data.csv", "-m", "m.unfold", "-o", "n.unfold"}, {"explain", "data.csv", "--model", "m.unfold"}, {"serve", "-m", "m.unfold"},
	} {
		if code, _, refusal := run(t, args...); code != exitUsage || !strings.Contains(refusal, "the model is the first argument and has no flag: unfold "+args[0]+" MODEL;") {
			t.Errorf("%v: exit %d: %s", args, code, refusal)
		}
	}
}
