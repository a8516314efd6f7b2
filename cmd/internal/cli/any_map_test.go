package cli

import (
	"fmt"
	"strings"
	"testing"
)

// TestAnyMapForEveryVerb gives the maps of common programs to every verb that takes a map. All verbs
// find the coordinates by the same rule.
func TestAnyMapForEveryVerb(t *testing.T) {
	t.Chdir(t.TempDir())
	const rows = 60
	var data strings.Builder
	data.WriteString("a,b,c\n")
	maps := map[string]*strings.Builder{}
	heads := map[string]string{
		"xy.csv": "x,y,kind", "umap.csv": "UMAP1,UMAP2,kind", "tsne.csv": "tsne_1,tsne_2,kind", "projection.csv": "projection_x,projection_y,kind",
		"own.csv": "embedding_0,embedding_1,kind", "vectors.jsonl": "", "own.jsonl": "",
	}
	for name, head := range heads {
		maps[name] = &strings.Builder{}
		if head != "" {
			fmt.Fprintln(maps[name], head)
		}
	}
	for i := range rows {
		group := i % 2
		x, y, kind := float64(9*group)+float64(i%7)/7, float64(i*i%11)/11, []string{"left", "right"}[group]
		fmt.Fprintf(&data, "%d,%v,%v\n", 9*group, x, y)
		for name, b := range maps {
			switch name {
			case "vectors.jsonl":
				fmt.Fprintf(b, `{"place":[%v,%v],"kind":%q}`+"\n", x, y, kind)
			case "own.jsonl":
				fmt.Fprintf(b, `{"embedding":[%v,%v],"kind":%q}`+"\n", x, y, kind)
			default:
				fmt.Fprintf(b, "%v,%v,%s\n", x, y, kind)
			}
		}
	}
	write(t, "data.csv", data.String())
	for name, b := range maps {
		write(t, name, b.String())
	}
	scores := "" // of the first map
	for name := range maps {
		for _, verb := range []string{
			"plot MAP -o out.svg --color kind",
			"plot own.csv --compare MAP -o out.svg",
			"plot own.csv --beside MAP -o out.svg",
			"clusters MAP -o clusters.csv --min-size 10",
			"export MAP -o out.html",
			"fit data.csv --columns * --frame MAP -o out.unfold --steps 2",
		} {
			args := words("-q " + strings.ReplaceAll(verb, "MAP", name))
			if code, _, stderr := run(t, args...); code != 0 {
				t.Errorf("%s: exit %d, %s", strings.Join(args, " "), code, stderr)
			}
		}
		score := must(t, words("score "+name+" --label kind --json")...)
		if scores == "" {
			scores = score
		}
		if score != scores {
			t.Errorf("%s has the scores\n%s\nanother map of the same places\n%s", name, score, scores)
		}
	}
}

// A picture leaves out rows without a place, as the page does, whatever the columns of the places.
func TestPicturesOfMapsWithHoles(t *testing.T) {
	t.Chdir(t.TempDir())
	var pair, vectors, cube strings.Builder
	pair.WriteString("x,y,kind\n")
	cube.WriteString(`{"place":[1,2,3],"kind":"a"}` + "\n" + `{"place":null,"kind":"b"}` + "\n")
	for i := range 20 {
		x, y := fmt.Sprint(i%5), fmt.Sprint(i/5)
		vector := "[" + x + "," + y + "]"
		switch i {
		case 3:
			x = "NaN"
		case 7:
			y = ""
		}
		if i == 3 || i == 7 {
			vector = "null"
		}
		fmt.Fprintf(&pair, "%s,%s,k%d\n", x, y, i%2)
		fmt.Fprintf(&vectors, `{"place":%s,"kind":"k%d"}`+"\n", vector, i%2)
		fmt.Fprintf(&cube, `{"place":[%d,%d,%d],"kind":"k"}`+"\n", i, i*i%7, i%3)
	}
	write(t, "pair.csv", pair.String())
	write(t, "vectors.jsonl", vectors.String())
	write(t, "cube.jsonl", cube.String())
	for name, lost := range map[string]string{"pair.csv": "2 points", "vectors.jsonl": "2 points", "cube.jsonl": "1 point"} {
		code, out, stderr := run(t, "plot", name, "--color", "kind", "-o", "out.svg")
		if code != 0 || !strings.Contains(out, lost+" without finite coordinates left out") {
			t.Errorf("%s: exit %d, %s%s", name, code, out, stderr)
		}
		if code, _, stderr := run(t, "-q", "export", name, "-o", "out.html"); code != 0 {
			t.Errorf("%s: the page: exit %d, %s", name, code, stderr)
		}
	}
	write(t, "none.csv", "x,y,kind\nNaN,NaN,a\nNaN,NaN,b\n")
	for _, verb := range []string{"plot none.csv -o none.svg", "export none.csv -o none.html"} {
		if code, _, stderr := run(t, words(verb)...); code == 0 || !strings.Contains(stderr, "no row has a place") {
			t.Errorf("%s: exit %d, %s", verb, code, stderr)
		}
	}
}
