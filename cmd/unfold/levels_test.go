//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"unfold/internal/simd"
)

// asProgram makes the test binary run as the program, so that a test can run it with several
// environments.
const asProgram = "UNFOLD_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// at runs the program in a folder with additional environment variables, such as a level of vector
// instructions.
func at(t *testing.T, dir string, environment []string, args ...string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), asProgram+"=1"), environment...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v unfold %s: %v\n%s", environment, strings.Join(args, " "), err, out)
	}
}

// level returns the environment that selects a level.
func level(l simd.Level) []string {
	name := l.String()
	if l == simd.Generic {
		name = "plain"
	}
	return []string{simd.Variable + "=" + name}
}

// sets are tables of numbers: groups in eight dimensions, and a rolled sheet.
var sets = map[string]func(r *rand.Rand) []float64{
	"groups": func(r *rand.Rand) []float64 {
		x, group := make([]float64, 8), r.IntN(6)
		for k := range x {
			x[k] = r.NormFloat64()
		}
		x[group] += 12
		return x
	},
	"roll": func(r *rand.Rand) []float64 {
		a := 1.5 * math.Pi * (1 + 2*r.Float64())
		return []float64{a * math.Cos(a), 21 * r.Float64(), a * math.Sin(a)}
	},
}

func table(t *testing.T, path string, n int, seed uint64, row func(r *rand.Rand) []float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for i := range n {
		x := row(r)
		if i == 0 {
			for k := range x {
				fmt.Fprintf(&b, "x%d,", k)
			}
			b.WriteString("last\n")
		}
		for _, v := range x {
			fmt.Fprintf(&b, "%.6g,", v)
		}
		b.WriteString("0.5\n")
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// places reads the coordinates and sigmas of a map.
func places(t *testing.T, path string) (x [][3]float64) {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(content(t, path))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	columns := []int{slices.Index(rows[0], "embedding_0"), slices.Index(rows[0], "embedding_1"), slices.Index(rows[0], "sigma")}
	for _, row := range rows[1:] {
		var p [3]float64
		for k, c := range columns {
			if p[k], err = strconv.ParseFloat(row[c], 64); err != nil {
				t.Fatal(err)
			}
		}
		x = append(x, p)
	}
	return x
}

// TestProcessors tests the guarantees across processors. The same model places rows bit for bit
// alike at every level of instructions. Learning gives the same model file with AVX2 and AVX-512,
// and for any number of processors. Plain Go rounds differently: on these sets most points lie
// within a tenth of their sigma of their vectorised places.
func TestProcessors(t *testing.T) {
	levels := simd.Levels()
	best := levels[len(levels)-1]
	for name, row := range sets {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			in := func(format string, args ...any) string { return filepath.Join(dir, fmt.Sprintf(format, args...)) }
			table(t, in("rows.csv"), 600, 1, row)
			table(t, in("new.csv"), 100, 2, row)
			for _, l := range levels {
				at(t, dir, level(l), "fit", "-q", "rows.csv", "--columns", "*", "-o", l.String()+".unfold", "--map", l.String()+".csv")
			}
			for _, processors := range []int{1, 3} {
				at(t, dir, []string{fmt.Sprintf("GOMAXPROCS=%d", processors)}, "fit", "-q", "rows.csv", "--columns", "*", "-o", "again.unfold")
				if !bytes.Equal(content(t, in("again.unfold")), content(t, in("%v.unfold", best))) {
					t.Errorf("the model differs with %d processors", processors)
				}
			}
			if best == simd.AVX512 && !bytes.Equal(content(t, in("avx2.unfold")), content(t, in("avx512.unfold"))) {
				t.Error("the models of AVX2 and AVX-512 differ")
			}
			for _, l := range levels {
				at(t, dir, level(l), "embed", "-q", "new.csv", "-m", best.String()+".unfold", "-o", l.String()+"-new.csv")
			}
			for _, l := range levels {
				if !bytes.Equal(content(t, in("%v-new.csv", l)), content(t, in("%v-new.csv", best))) {
					t.Errorf("new rows have other places with %v than with %v", l, best)
				}
			}
			plain, vectors := places(t, in("generic.csv")), places(t, in("%v.csv", best))
			var apart []float64
			for i, p := range plain {
				apart = append(apart, math.Hypot(p[0]-vectors[i][0], p[1]-vectors[i][1])/p[2])
			}
			slices.Sort(apart)
			median, p99 := apart[len(apart)/2], apart[len(apart)*99/100]
			t.Logf("plain Go and %v: points are %.2g of their sigma apart in the median, %.2g at the 99th percentile", best, median, p99)
			if median > 0.1 || p99 > 1 {
				t.Errorf("plain Go and %v: points are %.2g of their sigma apart in the median, %.2g at the 99th percentile; want 0.1 and 1", best, median, p99)
			}
		})
	}
}

// TestUnknownProcessor tests that an unavailable level is a usage error of one sentence.
func TestUnknownProcessor(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "version")
	cmd.Env = append(os.Environ(), asProgram+"=1", simd.Variable+"=altivec")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 2 || !strings.HasPrefix(string(out), "unfold: UNFOLD_CPU=altivec names no set of vector instructions: use ") {
		t.Errorf("%v: %s", err, out)
	}
}
