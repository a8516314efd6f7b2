package cli

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// nearOf reads the neighbour columns of a file of places.
func nearOf(t *testing.T, path string) (point [][]int, distance [][]float64) {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(body)) {
		var row struct {
			Neighbor []int     `json:"neighbor"`
			Distance []float64 `json:"neighbor_distance"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		point, distance = append(point, row.Neighbor), append(distance, row.Distance)
	}
	return point, distance
}

// Rows of files get their nearest points, which may be equal to them. Points of the model get the
// nearest other points. Equal rows are one point.
func TestEmbedNeighbors(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("x.csv", []byte("a,b\n0,0\n1,0\n0,0\n3,0\n7,0\n15,0\n31,0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, words("-q fit x.csv --columns a,b --pca none -o m.unfold --map map.csv")...)
	must(t, words("-q embed x.csv -m m.unfold -o near.jsonl --neighbors 2")...)
	point, distance := nearOf(t, "near.jsonl")
	want := [][]int{{0, 1}, {1, 0}, {0, 1}, {2, 1}, {3, 2}, {4, 3}, {5, 4}}
	if !slices.EqualFunc(point, want, slices.Equal) || !slices.Equal(distance[4], []float64{0, 4}) {
		t.Errorf("near rows are %v, at %v", point, distance)
	}
	must(t, words("-q embed -m m.unfold -o own.jsonl --neighbors 2")...)
	point, distance = nearOf(t, "own.jsonl")
	want = [][]int{{1, 2}, {0, 2}, {1, 0}, {2, 1}, {3, 2}, {4, 3}}
	if !slices.EqualFunc(point, want, slices.Equal) || !slices.Equal(distance[3], []float64{4, 6}) {
		t.Errorf("near points are %v, at %v", point, distance)
	}
	must(t, words("-q embed -m m.unfold -o all.jsonl --neighbors 99")...)
	if point, _ = nearOf(t, "all.jsonl"); len(point[0]) != 5 {
		t.Errorf("point 0 has neighbours %v, want all 5 others", point[0])
	}
	for _, args := range []string{
		"embed -m m.unfold -o own.jsonl", "embed -m m.unfold -o own.npy --neighbors 2", "embed x.csv -m m.unfold -o own.jsonl --neighbors -1",
		"embed x.csv -m m.unfold -o near.jsonl --neighbors 2 --keep neighbor", "embed --lines -m m.unfold --neighbors 2",
	} {
		if code, _, text := run(t, words(args)...); code != 2 || !strings.Contains(text, "neighbor") && !strings.Contains(text, "<in>") {
			t.Errorf("%s: exit %d, %s", args, code, text)
		}
	}
}
