package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"unfold/internal/tools/assembly"
	"unfold/internal/tools/avx512/serial"
)

// levels is the package whose test logs the chosen level; chosen is the expected line of its log.
const (
	levels = "internal/simd"
	chosen = "in use: avx512"
)

// Every processor of AVX-512 that internal/simd chooses kernels for has these.
var foundation = []string{"avx2", "fma", "avx512f", "avx512bw", "avx512dq", "avx512vl"}

// lower matches subtests of lower levels, which are skipped because other processors run them.
const lower = ".*/^(generic|avx2)$"

// left are the skipped tests, by package: those of whole solvers, plain Go and times, and those
// with thousands of random cases, which would take many minutes in an emulator. A check ensures
// that the remaining tests still call every kernel.
var left = map[string]string{
	"internal/simd/exp":      "^TestExp$",
	"internal/simd/gemm":     "^TestUse$",
	"internal/simd/pairwise": "^Test(ExpNeg|ExpOfKernels|GaussAgainstPairs|PushOddValues|PushSpaceOddValues|RepulsionsOddValues|OneDimensionCostsNoMoreThanThree)$",
}

// plan is the list of tests for the machine.
type plan struct {
	root    string
	kernels []assembly.Kernel // those for AVX-512
	uses    map[string][]assembly.Use
	jobs    []serial.Job
}

// newPlan reads the module's assembly: every package with a kernel for AVX-512 is a job.
func newPlan(root string, s settings) (*plan, error) {
	all, err := assembly.Kernels(os.DirFS(root))
	if err != nil {
		return nil, err
	}
	p := &plan{root: root, uses: map[string][]assembly.Use{}}
	p.jobs = append(p.jobs, serial.Job{Package: levels, Args: []string{"-test.v"}})
	wide := assembly.Of(all, "avx512")
	for _, dir := range assembly.Packages(wide) {
		if !strings.Contains(dir, s.only) {
			continue
		}
		uses, err := assembly.Uses(root, dir, "amd64", wide)
		if err != nil {
			return nil, err
		}
		skip := lower
		if left[dir] != "" {
			skip = left[dir] + "|" + skip // a test that matches the pattern of subtests in part would run
		}
		job := serial.Job{Package: dir, Args: []string{"-test.short", "-test.skip=" + skip}}
		if s.verbose {
			job.Args = append(job.Args, "-test.v")
		}
		for _, k := range wide {
			if k.Package != dir {
				continue
			}
			p.kernels = append(p.kernels, k)
			p.uses[k.String()] = uses[k.Name]
			for _, u := range uses[k.Name] {
				job.Files = append(job.Files, u.File)
			}
		}
		slices.Sort(job.Files)
		job.Files = slices.Compact(job.Files)
		p.jobs = append(p.jobs, job)
	}
	return p, nil
}

// archive builds the test binaries and the first process, and writes the machine's file system.
func (p *plan) archive(ctx context.Context, to string) error {
	dir, err := os.MkdirTemp(filepath.Dir(to), "build")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	defer f.Close()
	a := newArchive(f)
	add := func(name string, build ...string) error {
		binary := filepath.Join(dir, "binary")
		if err := p.build(ctx, append(build[:len(build)-1:len(build)-1], "-ldflags=-s -w", "-o", binary, build[len(build)-1])); err != nil {
			return err
		}
		data, err := os.ReadFile(binary)
		if err != nil {
			return err
		}
		a.file(name, data)
		return nil
	}
	if err := add("init", "build", "./internal/tools/avx512/guest"); err != nil {
		return err
	}
	for _, j := range p.jobs {
		if err := add("tests/"+j.Package+"/test", "test", "-c", "-cover", "./"+j.Package); err != nil {
			return err
		}
		// Tests read the assembly in their folder.
		sources, err := filepath.Glob(filepath.Join(p.root, j.Package, "*.s"))
		if err != nil {
			return err
		}
		for _, s := range sources {
			data, err := os.ReadFile(s)
			if err != nil {
				return err
			}
			a.file("tests/"+j.Package+"/"+filepath.Base(s), data)
		}
	}
	jobs, err := json.Marshal(p.jobs)
	if err != nil {
		return err
	}
	a.file(strings.TrimPrefix(serial.Jobs, "/"), jobs)
	return errors.Join(a.close(), f.Close())
}

// build runs the go command with the older garbage collector. The newer one uses AVX-512
// instructions beyond those of the kernels (GFNI among them), with which it crashes in Bochs 2.7.
func (p *plan) build(ctx context.Context, args []string) error {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = p.root
	c.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOEXPERIMENT=nogreenteagc")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// faults compares the machine's report with the plan.
func (p *plan) faults(r serial.Report) (faults []error) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if r.Flags == nil {
		fault("the machine did not start")
		return faults
	}
	for _, f := range foundation {
		if !slices.Contains(r.Flags, f) {
			fault("the emulated processor has no %s", f)
		}
	}
	results := map[string]serial.Result{}
	for _, result := range r.Results {
		results[result.Package] = result
	}
	for _, j := range p.jobs {
		switch result, ok := results[j.Package]; {
		case !ok && j.Package == r.Open:
			fault("%s: the tests did not end", j.Package)
		case !ok:
			fault("%s: the tests did not run", j.Package)
		case result.Code != 0:
			fault("%s: the tests failed with exit code %d", j.Package, result.Code)
		case j.Package == levels && !strings.Contains(result.Output, chosen):
			fault("%s: the log of TestLevels has no %q", j.Package, chosen)
		}
	}
	executed, benchmarks := 0, []string{}
	for _, k := range p.kernels {
		result, ok := results[k.Package]
		if !ok {
			continue // reported above
		}
		var profile []assembly.Block
		for _, text := range result.Covered {
			b, err := assembly.ParseBlock(text)
			if err != nil {
				faults = append(faults, err)
				continue
			}
			profile = append(profile, b)
		}
		for _, n := range k.Needs {
			if !slices.Contains(r.Flags, n) {
				fault("%v needs %s, which the emulated processor has not", k, n)
			}
		}
		switch assembly.Called(k.Package, p.uses[k.String()], profile) {
		case assembly.Never:
			fault("%v was not called", k)
		case assembly.Benchmark:
			benchmarks = append(benchmarks, k.String())
		case assembly.Executed:
			executed++
		}
	}
	fmt.Printf("avx512: %d of %d kernels were called by tests\n", executed, len(p.kernels))
	if len(benchmarks) > 0 {
		fmt.Printf("avx512: only benchmarks call %s\n", strings.Join(benchmarks, ", "))
	}
	if !r.Done && len(faults) == 0 {
		fault("the machine stopped before its end")
	}
	return faults
}
