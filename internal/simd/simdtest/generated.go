package simdtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"unfold/internal/testkit/tier"
)

// Generated checks that the assembly of the package under test, kernels_amd64.s and stubs_amd64.go,
// equals the output of its generator ./asm, and that its kernels for AVX2 use no registers of
// AVX-512. If there is a generator ./neon for arm64, it checks that too.
func Generated(t *testing.T, pkg string) {
	t.Helper()
	kept, err := os.ReadFile("kernels_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range beyondAVX2(kept) {
		t.Error(line)
	}
	tier.Full(t, "it runs generators")
	fresh(t, pkg, "./asm", "kernels_amd64.s", "stubs_amd64.go")
	if _, err := os.Stat("neon"); err == nil {
		fresh(t, pkg, "./neon", "kernels_arm64.s", "stubs_arm64.go")
	}
}

// fresh compares the files of a generator with those that it writes today.
func fresh(t *testing.T, pkg, generator string, names ...string) {
	t.Helper()
	readSources(t, generator)
	dir := t.TempDir()
	run := exec.Command("go", "run", generator, "-out", filepath.Join(dir, names[0]), "-stubs", filepath.Join(dir, names[1]), "-pkg", pkg)
	// The generator imports the package, which need not have its assembly yet.
	run.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -tags=noasm")
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The first line contains the command and so the folder, which differs.
	rest := func(b []byte) []byte { return b[bytes.IndexByte(b, '\n')+1:] }
	for _, name := range names {
		fresh, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(rest(fresh), rest(kept)) {
			t.Errorf("%s differs from what its generator writes: run go generate", name)
		}
	}
}

// Vector registers, masks, and where a function begins.
var (
	wideRegister = regexp.MustCompile(`\b([XY](1[6-9]|2[0-9]|3[01])|Z[0-9]+|K[0-7])\b`)
	function     = regexp.MustCompile(`^TEXT ·(\w+)\(`)
)

// beyondAVX2 lists the lines of AVX2 kernels that use a register of AVX-512. A generator allocates
// one when the 16 of AVX2 run out, and tests on a processor with AVX-512 would not notice.
func beyondAVX2(assembly []byte) (lines []string) {
	name := ""
	for i, line := range strings.Split(string(assembly), "\n") {
		if f := function.FindStringSubmatch(line); f != nil {
			name = f[1]
		}
		if strings.HasSuffix(name, "AVX2") && !strings.HasPrefix(line, "//") && wideRegister.MatchString(line) {
			lines = append(lines, fmt.Sprintf("kernels_amd64.s:%d: %s uses a register of AVX-512:%s", i+1, name, line))
		}
	}
	return lines
}

// readSources looks at the files of this module that a generator is built from. The test's result is
// cached by the files that the test itself looks at, and the generator is a process of its own.
func readSources(t *testing.T, generator string) {
	t.Helper()
	list := exec.Command("go", "list", "-tags=noasm", "-deps", "-f", `{{$dir := .Dir}}{{if .Module}}{{if .Module.Main}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`, generator)
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := strings.Fields(string(out))
	if len(files) == 0 {
		t.Fatalf("%s has no sources", generator)
	}
	for _, file := range files {
		if _, err := os.Stat(file); err != nil {
			t.Fatal(err)
		}
	}
}
