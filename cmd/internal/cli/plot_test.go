package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The picture and the command report points that are not drawn at their place.
func TestPlotCountsEveryPoint(t *testing.T) {
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("embedding_0,embedding_1\n")
	for i := range 300 {
		fmt.Fprintf(&b, "%d,%d\n", i%20, i/20)
	}
	write(t, "near.csv", b.String())
	write(t, "far.csv", b.String()+"5000,0\n0,-70000\n")
	const note = "2 points beyond the frame, drawn hollow at its edge"
	if out := must(t, "-q", "plot", "near.csv", "-o", "near.svg"); out != "near.svg: 300 points\n" {
		t.Errorf("without far points it says %q", out)
	}
	if out := must(t, "-q", "plot", "far.csv", "-o", "far.svg"); out != "far.svg: 302 points; "+note+"\n" {
		t.Errorf("with far points it says %q", out)
	}
	picture, err := os.ReadFile("far.svg")
	if err != nil || !strings.Contains(string(picture), ">"+note+"<") {
		t.Errorf("the picture does not say so: %v", err)
	}
}
