package main

import (
	"os"
	"path"
	"strings"
	"testing"

	"unfold/internal/tools/assembly"
)

func TestJudge(t *testing.T) {
	wide, narrow, neon := assembly.Kernel{Arch: "amd64", Set: "avx512"}, assembly.Kernel{Arch: "amd64", Set: "avx2"}, assembly.Kernel{Arch: "arm64", Set: "neon"}
	more := assembly.Kernel{Arch: "amd64", Set: "avx512", Needs: []string{"avx512_vpopcntdq"}}
	for _, c := range []struct {
		kernel   assembly.Kernel
		native   bool
		calls    assembly.Calls
		commands string
		want     state
	}{
		{wide, true, assembly.Executed, "", tested},
		{wide, true, assembly.Never, "bochs", untested},
		{wide, false, assembly.Never, "bochs", emulated},
		{wide, false, assembly.Never, "qemu-aarch64-static", untested},
		{wide, false, assembly.Benchmark, "bochs", benchmark},
		{more, true, assembly.Executed, "", tested},
		{more, true, assembly.Never, "bochs", emulated}, // this processor lacks the extension
		{more, true, assembly.Never, "", untested},
		{narrow, true, assembly.Executed, "", tested},
		{narrow, false, assembly.Never, "bochs", untested},
		{neon, false, assembly.Never, "qemu-aarch64-static", emulated},
		{neon, false, assembly.Never, "bochs", untested},
	} {
		got, how := judge(c.kernel, func(assembly.Kernel) bool { return c.native }, c.calls, func(name string) bool { return name == c.commands })
		if got != c.want || how == "" {
			t.Errorf("%+v: %v, %q", c, got, how)
		}
	}
}

// make arm64 runs the tests of every package with a kernel for arm64.
func TestMakeArm64(t *testing.T) {
	const root = "../../.."
	kernels, err := assembly.Kernels(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile(path.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	_, recipe, _ := strings.Cut(string(makefile), "\narm64:\n")
	recipe, _, _ = strings.Cut(recipe, "\n\n")
	for _, dir := range assembly.Packages(assembly.Of(kernels, "neon")) {
		covered := false
		for word := range strings.FieldsSeq(recipe) {
			word = strings.TrimRight(word, ";")
			tree, all := strings.CutSuffix(word, "/...")
			covered = covered || path.Clean(word) == dir || all && strings.HasPrefix(dir+"/", path.Clean(tree)+"/")
		}
		if !covered {
			t.Errorf("make arm64 does not test %s", dir)
		}
	}
}
