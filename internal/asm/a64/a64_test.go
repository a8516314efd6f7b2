package a64

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The words equal those that GNU as assembles from the mnemonics (written by
// testdata/encodings.py).
func TestEncodings(t *testing.T) {
	wanted, err := os.ReadFile("testdata/encodings.txt")
	if err != nil {
		t.Fatal(err)
	}
	operand := regexp.MustCompile(`v(\d+)\.\w+(?:\[(\d)\])?`)
	seen := map[string]bool{}
	for line := range strings.Lines(string(wanted)) {
		word, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		op, operands, _ := strings.Cut(text, " ")
		arrangement := strings.TrimSuffix(operands[strings.Index(operands, ".")+1:][:3], ",")
		var v []V
		index := -1
		for _, m := range operand.FindAllStringSubmatch(operands, -1) {
			var n V
			fmt.Sscan(m[1], &n)
			if v = append(v, n); m[2] != "" {
				fmt.Sscan(m[2], &index)
			}
		}
		var a Asm
		if seen[op+"."+arrangement] = true; index >= 0 {
			a.By(op, arrangement, v[0], v[1], v[2], index)
		} else {
			a.Do(op, arrangement, v[0], v[1], v[2:]...)
		}
		if got, want := a.code.String(), fmt.Sprintf("\tWORD\t$0x%s // %s\n", word, text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for _, table := range []map[string]uint32{three, two, element} {
		for key := range table {
			if !seen[key] {
				t.Errorf("testdata/encodings.txt lacks %s: run testdata/encodings.py", key)
			}
		}
	}
}

// Parameters are at the offsets of Go's calling convention for assembly: each aligned to its size,
// the result to eight bytes.
func TestFunc(t *testing.T) {
	var a Asm
	a.Func("f", "x, y *float64, n int, small float32, alpha float64", "float32", "is a kernel.")
	for name, want := range map[string]string{
		"x": "x+0(FP)", "y": "y+8(FP)", "n": "n+16(FP)", "small": "small+24(FP)", "alpha": "alpha+32(FP)", "ret": "ret+40(FP)",
	} {
		if got := a.Param(name); got != want {
			t.Errorf("%s lies at %s, want %s", name, got, want)
		}
	}
	if got, want := a.code.String(), "TEXT ·f(SB), NOSPLIT, $0-44\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want %q at its end", got, want)
	}
	if got, want := a.stubs.String(), "func f(x *float64, y *float64, n int, small float32, alpha float64) float32\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want %q at its end", got, want)
	}
}

// Quads uses pair instructions where the offset allows it, and loads every register.
func TestQuads(t *testing.T) {
	var a Asm
	a.Quads(3, 992, 0, 1, 2, 3, 4)
	a.StoreQuads(3, 0, 7)
	want := "\tFLDPQ\t992(R3), (F0, F1)\n\tFMOVQ\t1024(R3), F2\n\tFMOVQ\t1040(R3), F3\n\tFMOVQ\t1056(R3), F4\n\tFMOVQ\tF7, 0(R3)\n"
	if got := a.code.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
