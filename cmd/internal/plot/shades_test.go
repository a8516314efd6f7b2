package plot

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write web/test/shades.json")

// sharedShades has the shades of some sets of names, by which a test of the page checks its own rule.
const sharedShades = "../../../web/test/shades.json"

func TestThePageHasTheSameShades(t *testing.T) {
	sets := [][]string{
		{"setosa", "versicolor", "virginica"},
		{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"},
		{"cluster 3", "cluster 12", "cluster 0", "none", "3", "2019", "2020", "007"},
		{"ü", "日本", "🦊", "שלום", " ", "__proto__", "a\nb", strings.Repeat("x", 300) + "7", strings.Repeat("x", 300), strings.Repeat("é", 128) + "a", strings.Repeat("é", 200) + "7"},
		numbered("word ", " of many", 0, 120),
	}
	type row struct {
		Name  string `json:"name"`
		Shade int    `json:"shade"`
	}
	var got [][]row
	for _, names := range sets {
		shades := shadesOf(names)
		var rows []row
		for _, name := range names {
			rows = append(rows, row{name, shades[name]})
		}
		got = append(got, rows)
	}
	text, err := json.MarshalIndent(got, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if *update {
		if err := os.WriteFile(sharedShades, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(sharedShades)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(text) {
		t.Errorf("%s has other shades; if the change is meant, run go test -run SameShades -update, and change web/src/shades.ts", sharedShades)
	}
}

// numbered returns names with the numbers from a to b-1.
func numbered(before, after string, a, b int) []string {
	var names []string
	for i := a; i < b; i++ {
		names = append(names, fmt.Sprint(before, i, after))
	}
	return names
}

// A class's colour hardly depends on which others there are: names with numbers keep theirs, and
// another text changes at most a few.
func TestColoursStayWithOtherClasses(t *testing.T) {
	all := shadesOf(numbered("class ", "", 0, 40))
	for _, some := range [][]string{{"class 3"}, {"class 39", "class 0", "class 7"}, numbered("class ", "", 5, 12)} {
		for name, shade := range shadesOf(some) {
			if shade != all[name] {
				t.Errorf("%s has shade %d among %d classes and %d among %d", name, shade, len(some), all[name], len(all))
			}
		}
	}
	changed, kept := 0, 0
	for k := range 200 {
		names := numbered(fmt.Sprint("map ", k, " "), " class", 0, 9)
		rest := slices.Delete(slices.Clone(names), k%9, k%9+1)
		few, many := shadesOf(rest), shadesOf(names)
		for _, name := range rest {
			if few[name] == many[name] {
				kept++
			} else {
				changed++
			}
		}
	}
	if share := float64(changed) / float64(changed+kept); share > 0.1 {
		t.Errorf("one more class changes %.0f%% of the colours", 100*share)
	}
}

// Every set of classes has a colour each, and small ones those that are easiest to distinguish.
func TestShadesDiffer(t *testing.T) {
	for _, n := range []int{1, 2, 6, 7, 20, MaxClasses} {
		shades := shadesOf(numbered("", " things", 0, n))
		seen := map[int]bool{}
		for _, s := range shades {
			seen[s] = true
		}
		if len(seen) != n {
			t.Errorf("%d classes have %d shades", n, len(seen))
		}
		if most := slices.Max(values(shades)); n <= 6 && most >= 64 {
			t.Errorf("one of %d classes has shade %d", n, most)
		}
	}
}

func values(of map[string]int) []int {
	var out []int
	for _, v := range of {
		out = append(out, v)
	}
	return out
}

// A class that is named by what distinguishes it has the colour of its id.
func TestColoursFollowTheThing(t *testing.T) {
	class := []string{"3: bytes high", "12: flag SF, port 80", "rest"}
	p, err := newPaint(Map{X: make([]float64, 3), Y: make([]float64, 3), Class: class, Thing: map[string]string{class[0]: "3", class[1]: "12"}}, Settings{Width: 500, Height: 500, Classes: 20})
	if err != nil {
		t.Fatal(err)
	}
	shades := shadesOf([]string{"3", "12", "rest"})
	for i, id := range []string{"3", "12", "rest"} {
		if got, want := p.classes[p.of[class[i]]].color, farColors(MaxClasses, light)[shades[id]]; got != want {
			t.Errorf("%s has the colour %v, want %v", class[i], got, want)
		}
	}
}
