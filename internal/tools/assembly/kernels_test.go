package assembly

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

const source = `// Code generated.

// func sumAVX512(x *float32, n int)
// Requires: AVX512F
TEXT ·sumAVX512(SB), NOSPLIT, $0-16
	VADDPS Z0, Z1, Z1
	// VPOPCNTQ in a comment is no instruction.
	RET

TEXT ·onesAVX512(SB), NOSPLIT, $0-16
	VPOPCNTQ Z0, Z1
	VPOPCNTQ Z2, Z3
	RET

TEXT ·sumAVX2(SB), NOSPLIT, $0-16
	RET

TEXT ·prefetch(SB), NOSPLIT, $0-8
	RET
`

func TestKernels(t *testing.T) {
	got, err := Kernels(fstest.MapFS{
		"a/b/kernels_amd64.s":    {Data: []byte(source)},
		"a/b/kernels_arm64.s":    {Data: []byte("TEXT ·sumNEON(SB), NOSPLIT, $0-16\n")},
		"a/testdata/x_amd64.s":   {Data: []byte("no assembly")},
		"out/copy/other_amd64.s": {Data: []byte("no assembly")},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []Kernel{
		{"a/b", "onesAVX512", "amd64", "avx512", []string{"avx512_vpopcntdq"}},
		{"a/b", "prefetch", "amd64", "amd64", nil},
		{"a/b", "sumAVX2", "amd64", "avx2", nil},
		{"a/b", "sumAVX512", "amd64", "avx512", nil},
		{"a/b", "sumNEON", "arm64", "neon", nil},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := Packages(Of(got, "avx512")); !reflect.DeepEqual(got, []string{"a/b"}) {
		t.Errorf("packages %v", got)
	}
	for name, text := range map[string]string{"a/kernels.s": source, "a/empty_amd64.s": "// nothing\n"} {
		if _, err := Kernels(fstest.MapFS{name: {Data: []byte(text)}}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Every kernel of the module is named by Go code of its package that the architecture compiles.
func TestEveryKernelIsUsed(t *testing.T) {
	const root = "../../.."
	all, err := Kernels(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	for _, arch := range []string{"amd64", "arm64"} {
		var kernels []Kernel
		for _, k := range all {
			if k.Arch == arch {
				kernels = append(kernels, k)
			}
		}
		if len(kernels) == 0 {
			t.Errorf("no kernels of %s", arch)
		}
		for _, dir := range Packages(kernels) {
			uses, err := Uses(root, dir, arch, kernels)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range kernels {
				if k.Package == dir && len(uses[k.Name]) == 0 {
					t.Errorf("%s: nothing uses %v", arch, k)
				}
			}
		}
	}
}

func TestCalled(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"stubs_amd64.go":  "package p\n\nfunc sumAVX512(x *float32)\n",
		"use_amd64.go":    "package p\n\nfunc use(x *float32) {\n\tif x != nil {\n\t\tsumAVX512(x)\n\t}\n}\n",
		"use_arm64.go":    "package p\n\nfunc use(x *float32) { sumAVX512(x) }\n",
		"p_test.go":       "package p\n\nvar peak = peakAVX512\n",
		"plain.go":        "//go:build noasm\n\npackage p\n\nvar other = sumAVX512\n",
		"kernels_amd64.s": "",
	} {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kernels := []Kernel{{Package: ".", Name: "sumAVX512", Arch: "amd64"}, {Package: ".", Name: "peakAVX512", Arch: "amd64"}}
	uses, err := Uses(dir, ".", "amd64", kernels)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]Use{"sumAVX512": {{"use_amd64.go", 5, 3, false}}, "peakAVX512": {{"p_test.go", 3, 12, true}}}
	if !reflect.DeepEqual(uses, want) {
		t.Fatalf("uses %v, want %v", uses, want)
	}
	for _, c := range []struct {
		kernel, profile string
		want            Calls
	}{
		{"sumAVX512", "m/q/p/use_amd64.go:3.22,4.14 1 1\nm/q/p/use_amd64.go:4.14,6.3 1 1", Executed},
		{"sumAVX512", "m/q/p/use_amd64.go:3.22,4.14 1 1\nm/q/p/use_amd64.go:4.14,6.3 1 0", Never},
		{"sumAVX512", "m/other/use_amd64.go:4.14,6.3 1 1", Never},
		{"peakAVX512", "m/q/p/use_amd64.go:4.14,6.3 1 1", Benchmark},
		{"unknown", "m/q/p/use_amd64.go:4.14,6.3 1 1", Never},
	} {
		var profile []Block
		for line := range strings.Lines(c.profile) {
			b, err := ParseBlock(strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			profile = append(profile, b)
		}
		if got := Called("q/p", uses[c.kernel], profile); got != c.want {
			t.Errorf("%s by %q: %v, want %v", c.kernel, c.profile, got, c.want)
		}
	}
	if _, err := ParseBlock("mode: set"); err == nil {
		t.Error("the line of the mode is no block, but there was no error")
	}
}
