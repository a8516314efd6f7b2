package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// answersCSV returns rows of 0 and 1 in eight columns, which depend on two coordinates.
func answersCSV(rows int) string {
	var b strings.Builder
	b.WriteString("id,q0,q1,q2,q3,q4,q5,q6,q7\n")
	for i := range rows {
		u, v := math.Sin(float64(3*i)), math.Cos(float64(5*i))
		fmt.Fprint(&b, i)
		for j := range 8 {
			s, c := math.Sincos(float64(j))
			answer := 0
			if s*u+c*v+0.2*math.Sin(float64(7*i+j*j)) > 0 {
				answer = 1
			}
			fmt.Fprintf(&b, ",%d", answer)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Rows of 0 and 1 are learnt with probit noise. embed places them as fit does, and decode returns
// probabilities. Missing values are predicted.
func TestProbitEndToEnd(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.csv", strings.Replace(answersCSV(60), "\n2,0", "\n2,", 1))
	must(t, "-q", "fit", "a.csv", "--id", "id", "--columns", "q*", "--kind", "gplvm", "--noise", "probit", "--steps", "2", "--active", "20", "-o", "a.unfold", "--map", "one.csv", "--report", "r.json")
	must(t, "-q", "embed", "a.csv", "-m", "a.unfold", "-o", "two.csv")
	if one, two := cells(t, "one.csv", 5), cells(t, "two.csv", 5); one != two {
		t.Errorf("embed does not place rows where fit did:\n%s\n%s", one, two)
	}
	var report struct {
		Model struct {
			Noise  string `json:"noise"`
			Filled int    `json:"filled"`
		} `json:"model"`
	}
	raw, err := os.ReadFile("r.json")
	if err == nil {
		err = json.Unmarshal(raw, &report)
	}
	if err != nil || report.Model.Noise != "probit" || report.Model.Filled != 1 {
		t.Errorf("the report has %+v (%v)", report.Model, err)
	}
	if said := must(t, "inspect", "a.unfold"); !strings.Contains(said, "probit: columns are 0 and 1, decoded as the probability of 1") {
		t.Errorf("inspect says %s", said)
	}
	must(t, "-q", "decode", "one.csv", "-m", "a.unfold", "-o", "back.csv")
	file, err := os.Open("back.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for c, name := range rows[0] {
		if !strings.HasPrefix(name, "vector.q") {
			continue
		}
		seen++
		for _, row := range rows[1:] {
			if p, err := strconv.ParseFloat(row[c], 64); err != nil || !(p > 0 && p < 1) {
				t.Errorf("%s is decoded as %s", name, row[c])
			}
		}
	}
	if seen != 8 {
		t.Errorf("%d columns are decoded: %v", seen, rows[0])
	}
}
