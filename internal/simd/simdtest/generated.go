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
// equals the output of its generator in module internal/asm, and that its kernels for AVX2 use no
// registers of AVX-512. If there is a generator for arm64, it checks that too.
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
	module := generators(t)
	fresh(t, module, pkg, "amd64")
	if _, err := os.Stat(filepath.Join(module, "arm64", pkg)); err == nil {
		fresh(t, module, pkg, "arm64")
	}
}

// generators returns the folder of the generators' module, internal/asm.
func generators(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "internal", "asm")
}

// fresh compares the files of a generator with those that it writes today.
func fresh(t *testing.T, module, pkg, arch string) {
	t.Helper()
	generator, names := "./"+arch+"/"+pkg, []string{"kernels_" + arch + ".s", "stubs_" + arch + ".go"}
	readSources(t, module, generator)
	dir := t.TempDir()
	run := exec.Command("go", "run", generator, "-out", filepath.Join(dir, names[0]), "-stubs", filepath.Join(dir, names[1]), "-pkg", pkg)
	run.Dir = module
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

// readSources looks at the files of this repository that a generator is built from. The test's result
// is cached by the files that the test itself looks at, and the generator is a process of its own.
func readSources(t *testing.T, module, generator string) {
	t.Helper()
	list := exec.Command("go", "list", "-tags=noasm", "-deps", "-f", `{{$dir := .Dir}}{{if .Module}}{{if not .Module.Version}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`, generator)
	list.Dir = module
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
