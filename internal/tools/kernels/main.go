// Kernels lists the functions of the module that are written in assembly, and how each is tested on this machine: see make kernels.
//
// A kernel that this processor can run counts as tested when the coverage profile of its package's
// tests shows a call. For the others it names the emulator that would run them: make avx512, which
// checks the calls itself, or make arm64.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"

	"unfold/internal/simd"
	"unfold/internal/tools/assembly"
)

func main() {
	log.SetFlags(0)
	missing := flag.Bool("missing", false, "fail when a kernel is not tested natively and no emulator here runs it")
	flag.Parse()
	kernels, err := assembly.Kernels(os.DirFS("."))
	if err != nil {
		log.Fatal("kernels: ", err)
	}
	native := hasNative()
	found, err := called(kernels, native)
	if err != nil {
		log.Fatal("kernels: ", err)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	counts := map[state]int{}
	for _, k := range kernels {
		s, how := judge(k, native, found[id(k)], command)
		counts[s]++
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", k.Package, k.Name, strings.Join(append([]string{k.Set}, k.Needs...), "+"), how)
	}
	w.Flush()
	fmt.Printf("%d kernels: %d tested natively, %d by an emulator that is here, %d called by benchmarks alone, %d not tested here\n",
		len(kernels), counts[tested], counts[emulated], counts[benchmark], counts[untested])
	if *missing && counts[untested] > 0 {
		os.Exit(1)
	}
}

// state describes how this machine tests a kernel.
type state int

const (
	untested state = iota
	tested
	emulated
	benchmark
)

// judge returns how a kernel is tested here. A command is an emulator's name.
func judge(k assembly.Kernel, native func(assembly.Kernel) bool, calls assembly.Calls, command func(string) bool) (state, string) {
	switch {
	case calls == assembly.Benchmark:
		return benchmark, "only benchmarks call it"
	case native(k) && calls == assembly.Executed:
		return tested, "native"
	case native(k) && len(k.Needs) == 0:
		return untested, "NOT TESTED: no test calls it"
	case k.Set == "avx512" && command("bochs"):
		return emulated, "make avx512 (bochs)"
	case k.Arch == "arm64" && command("qemu-aarch64-static"):
		return emulated, "make arm64 (qemu-aarch64-static)"
	case k.Set == "avx512":
		return untested, "NOT TESTED: this processor lacks it, and there is no bochs"
	case k.Arch == "arm64":
		return untested, "NOT TESTED: this processor is not arm64, and there is no qemu-aarch64-static"
	}
	return untested, "NOT TESTED: this processor lacks " + k.Set
}

func command(name string) bool { _, err := exec.LookPath(name); return err == nil }

func id(k assembly.Kernel) string { return k.Arch + " " + k.String() }

// hasNative returns a function that reports whether this processor and build have the instruction
// set of a kernel. Further extensions are left to the package, which does not call a kernel that
// lacks them.
func hasNative() func(assembly.Kernel) bool {
	levels := map[string]bool{}
	for _, l := range simd.Levels() {
		levels[l.String()] = true
	}
	return func(k assembly.Kernel) bool {
		return k.Arch == runtime.GOARCH && (k.Set == k.Arch || levels[k.Set])
	}
}

// called runs the tests of the packages whose kernels this processor can run, and returns how they
// called each. For the other kernels it finds those that only benchmarks call.
func called(kernels []assembly.Kernel, native func(assembly.Kernel) bool) (map[string]assembly.Calls, error) {
	var packages []string
	var here []assembly.Kernel
	for _, k := range kernels {
		if native(k) {
			here = append(here, k)
		}
	}
	for _, dir := range assembly.Packages(here) {
		packages = append(packages, "./"+dir)
	}
	var profile []assembly.Block
	if len(packages) > 0 {
		dir, err := os.MkdirTemp("", "kernels")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		file := filepath.Join(dir, "profile")
		c := exec.Command("go", append([]string{"test", "-short", "-coverprofile=" + file}, packages...)...)
		if out, err := c.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go test: %w\n%s", err, out)
		}
		if profile, err = read(file); err != nil {
			return nil, err
		}
	}
	found := map[string]assembly.Calls{}
	for _, arch := range []string{"amd64", "arm64"} {
		for _, dir := range assembly.Packages(kernels) {
			uses, err := assembly.Uses(".", dir, arch, kernels)
			if err != nil {
				return nil, err
			}
			for _, k := range kernels {
				if k.Package == dir && k.Arch == arch {
					found[id(k)] = assembly.Called(dir, uses[k.Name], profile)
				}
			}
		}
	}
	return found, nil
}

// read reads a coverage profile.
func read(file string) (blocks []assembly.Block, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "mode:") {
			continue
		}
		b, err := assembly.ParseBlock(line)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}
