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
