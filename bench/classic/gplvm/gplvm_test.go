package main

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/internal/vec"
)

// Without data the page names the missing files. Sections made before stay on it.
func TestPageWithoutData(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "gplvm.md")
	if err := os.WriteFile(filepath.Join(dir, "oil.md"), []byte("earlier\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	if code := run(context.Background(), []string{"-data", dir, "-out", dir, "-o", page, "-only", "roll,digits,usps"}, &log); code != 0 {
		t.Fatalf("exit code %d: %s", code, log.String())
	}
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## Oil flow\n\nearlier\n", "## Swiss roll\n\nNot measured: there is no", "## Digits\n\nNot measured: there is no", "## Oil flow, sparse\n\nNot measured.\n"} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("the page lacks %q:\n%s", want, raw)
		}
	}
	// The page keeps results that are no longer in OUT.
	if err := os.Remove(filepath.Join(dir, "oil.md")); err != nil {
		t.Fatal(err)
	}
	if code := run(context.Background(), []string{"-data", dir, "-out", dir, "-o", page, "-only", "roll"}, &log); code != 0 {
		t.Fatalf("exit code %d: %s", code, log.String())
	}
	if again, err := os.ReadFile(page); err != nil || !bytes.Equal(again, raw) {
		t.Errorf("the page is another (%v):\n%s", err, again)
	}
	if code := run(context.Background(), []string{"-oil", dir, "-out", dir, "-o", page, "-only", "oil"}, &log); code != 1 || !strings.Contains(log.String(), "DataTrn.txt") {
		t.Errorf("without the oil data: code %d, %s", code, log.String())
	}
}

func TestNumbers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(path, []byte("a,b\n1,2\n3 4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	m, err := numbers(path)
	if err != nil || m.Rows != 2 || m.Cols != 2 || m.Data[3] != 4 {
		t.Errorf("%+v, %v", m, err)
	}
	if err := os.WriteFile(path, []byte("1,2\n3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := numbers(path); err == nil {
		t.Error("rows of different lengths are taken")
	}
}

func TestMistakes(t *testing.T) {
	x := vec.Of(4, 1, []float64{0, 1, 1.5, 9})
	if got := mistakes(x, []int{0, 0, 1, 1}); got != 2 {
		t.Errorf("%d errors, want 2", got)
	}
	if r := rankCorrelation([]float64{1, 2, 3, 4}, []float64{9, 5, 5, 1}); math.Abs(r+0.9486832980505138) > 1e-12 {
		t.Errorf("rank correlation %g", r)
	}
	if r := explained(x, []float64{2, 4, 5, 20}); math.Abs(r-1) > 1e-12 {
		t.Errorf("%g of what is linear is explained", r)
	}
}

// The page states whether a lead is more than chance.
func TestLead(t *testing.T) {
	for _, c := range []struct {
		name             string
		share, deviation float64
		want             string
	}{
		{"behind", -0.01, 0.008, ""},
		{"chance", 0.001, 0.008, ", by less than one standard deviation"},
		{"ahead", 0.021, 0.008, ", by up to 2.1 points"},
	} {
		if got := lead(c.share, c.deviation); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
