package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"unfold/internal/tools/assembly"
	"unfold/internal/tools/avx512/serial"
)

const root = "../../.."

// The archive has the entries in order, each folder once and before its files.
func TestArchive(t *testing.T) {
	var b bytes.Buffer
	a := newArchive(&b)
	a.file("init", []byte("first"))
	a.file("tests/a/test", []byte("1234"))
	a.file("tests/a/kernels_amd64.s", nil)
	if err := a.close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for rest := b.Bytes(); len(rest) > 0; {
		field := func(k int) int {
			v, err := strconv.ParseUint(string(rest[6+8*k:14+8*k]), 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			return int(v)
		}
		mode, size, length := field(1), field(6), field(11)
		if string(rest[:6]) != "070701" || rest[110+length-1] != 0 {
			t.Fatalf("no header: %q", rest[:110+length])
		}
		data := (110 + length + 3) &^ 3
		got = append(got, fmt.Sprintf("%s %o %s", rest[110:110+length-1], mode, rest[data:data+size]))
		rest = rest[(data+size+3)&^3:]
	}
	want := []string{"init 100755 first", "tests 40755 ", "tests/a 40755 ", "tests/a/test 100755 1234", "tests/a/kernels_amd64.s 100755 ", "TRAILER!!! 0 "}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestArchiveOnFullDisk(t *testing.T) {
	a := newArchive(full{})
	a.file("init", []byte("first"))
	if err := a.close(); err == nil || err.Error() != "full" {
		t.Errorf("error %v", err)
	}
}

// The plan has every package with a kernel for AVX-512. Every kernel is called by code with
// coverage, unless only benchmarks call it.
func TestPlan(t *testing.T) {
	p, err := newPlan(root, settings{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := assembly.Kernels(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, j := range p.jobs[1:] {
		dirs = append(dirs, j.Package)
		if len(j.Files) == 0 {
			t.Errorf("%s: no Go file calls its kernels", j.Package)
		}
	}
	if want := assembly.Packages(assembly.Of(all, "avx512")); len(want) == 0 || !slices.Equal(dirs, want) {
		t.Errorf("packages %v, want %v", dirs, want)
	}
	if p.jobs[0].Package != levels {
		t.Errorf("the first package is %s, want %s", p.jobs[0].Package, levels)
	}
	for _, k := range p.kernels {
		uses := p.uses[k.String()]
		if !slices.ContainsFunc(uses, func(u assembly.Use) bool { return !u.Test }) && !strings.HasPrefix(k.Name, "peak") {
			t.Errorf("only tests call %v", k)
		}
	}
	for dir := range left {
		if !slices.Contains(dirs, dir) {
			t.Errorf("tests of %s are left out, which has no kernel for AVX-512", dir)
		}
	}
}

// A run passes only with all AVX-512 extensions, every package and every kernel.
func TestFaults(t *testing.T) {
	k := assembly.Kernel{Package: "q/p", Name: "sumAVX512", Arch: "amd64", Set: "avx512", Needs: []string{"avx512_vpopcntdq"}}
	p := &plan{
		kernels: []assembly.Kernel{k},
		uses:    map[string][]assembly.Use{k.String(): {{File: "use_amd64.go", Line: 5, Column: 3}}},
		jobs:    []serial.Job{{Package: levels}, {Package: "q/p"}},
	}
	good := func() serial.Report {
		return serial.Report{
			Flags: append(slices.Clone(foundation), "avx512_vpopcntdq"),
			Results: []serial.Result{
				{Package: levels, Output: "    level_test.go:14: " + chosen + "\n"},
				{Package: "q/p", Covered: []string{"m/q/p/use_amd64.go:4.14,6.3 1 1"}},
			},
			Done: true,
		}
	}
	for name, c := range map[string]struct {
		change func(*serial.Report)
		want   string
	}{
		"all is well":   {func(*serial.Report) {}, ""},
		"never started": {func(r *serial.Report) { *r = serial.Report{} }, "the machine did not start"},
		"no AVX-512": {func(r *serial.Report) {
			r.Flags = slices.DeleteFunc(r.Flags, func(f string) bool { return f == "avx512bw" })
		}, "no avx512bw"},
		"a missing extension": {func(r *serial.Report) { r.Flags = foundation }, "q/p.sumAVX512 needs avx512_vpopcntdq"},
		"another level":       {func(r *serial.Report) { r.Results[0].Output = "this machine: avx512, in use: avx2" }, `the log of TestLevels has no "in use: avx512"`},
		"a failure":           {func(r *serial.Report) { r.Results[1].Code = 1 }, "q/p: the tests failed with exit code 1"},
		"stopped in a test":   {func(r *serial.Report) { r.Results, r.Open, r.Done = r.Results[:1], "q/p", false }, "q/p: the tests did not end"},
		"stopped before":      {func(r *serial.Report) { r.Results, r.Done = r.Results[:1], false }, "q/p: the tests did not run"},
		"stopped at the end":  {func(r *serial.Report) { r.Done = false }, "the machine stopped before its end"},
		"not called":          {func(r *serial.Report) { r.Results[1].Covered = nil }, "q/p.sumAVX512 was not called"},
		"a broken profile":    {func(r *serial.Report) { r.Results[1].Covered[0] = "@" }, "no line of a coverage profile"},
	} {
		t.Run(name, func(t *testing.T) {
			r := good()
			c.change(&r)
			err := errors.Join(p.faults(r)...)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// The terminal that Bochs names is read, even if its name arrives in two pieces.
func TestScreen(t *testing.T) {
	var printed bytes.Buffer
	s := &screen{ctx: t.Context(), w: &printed}
	defer s.close()
	for _, text := range []string{"Bochs connected to scr", "een \"/dev/nu", "ll\"\n", "other\n"} {
		if s.reader != nil && text != "other\n" {
			t.Fatalf("a reader before %q", text)
		}
		if _, err := s.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if s.reader == nil || s.reader.Args[len(s.reader.Args)-1] != "/dev/null" {
		t.Errorf("reader %v", s.reader)
	}
	if want := "Bochs connected to screen \"/dev/null\"\nother\n"; printed.String() != want {
		t.Errorf("printed %q, want %q", printed.String(), want)
	}
}
