// Package assembly lists the assembly functions of the module, and finds the Go code that calls
// them.
package assembly

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Kernel is a function in assembly.
type Kernel struct {
	Package string // the folder of the package, with slashes, from the root of the module
	Name    string
	Arch    string   // amd64 or arm64
	Set     string   // the instruction set: avx512, avx2, neon, or Arch when every processor of it has the instructions
	Needs   []string // extensions beyond Set, by their names in Linux's /proc/cpuinfo
}

// String names a kernel by its package and its name.
func (k Kernel) String() string { return k.Package + "." + k.Name }

var (
	function = regexp.MustCompile(`^TEXT\s+·(\w+)(<>)?\(SB\)`)
	arch     = regexp.MustCompile(`_(amd64|arm64)\.s$`)
	// Each extension is recognised by its instructions. A kernel that uses another extension needs
	// a line here.
	extensions = []struct {
		name         string
		instructions *regexp.Regexp
	}{
		{"avx512_vpopcntdq", regexp.MustCompile(`^VPOPCNT[DQ]$`)},
		{"avx512_bitalg", regexp.MustCompile(`^(VPOPCNT[BW]|VPSHUFBITQMB)$`)},
		{"avx512_vnni", regexp.MustCompile(`^VPDP(BUSD|WSSD)S?$`)},
		{"avx512vbmi", regexp.MustCompile(`^(VPERM([IT]2)?B|VPMULTISHIFTQB)$`)},
		{"avx512_vbmi2", regexp.MustCompile(`^VP(COMPRESS|EXPAND)[BW]$`)},
		{"avx512ifma", regexp.MustCompile(`^VPMADD52[HL]UQ$`)},
		{"avx512cd", regexp.MustCompile(`^VP(CONFLICT|LZCNT)[DQ]$`)},
		{"gfni", regexp.MustCompile(`^V?GF2P8`)},
	}
)

// Kernels reads every assembly file of the module at root. They are sorted by package, architecture and name.
func Kernels(root fs.FS) ([]Kernel, error) {
	var all []Kernel
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "out" || d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && name != "."):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".s":
			return nil
		}
		of := arch.FindStringSubmatch(name)
		if of == nil {
			return fmt.Errorf("%s: the name of the file ends with neither _amd64.s nor _arm64.s", name)
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		kernels := parse(text, path.Dir(name), of[1])
		if len(kernels) == 0 {
			return fmt.Errorf("%s: no TEXT line", name)
		}
		all = append(all, kernels...)
		return nil
	})
	slices.SortFunc(all, func(a, b Kernel) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Arch, b.Arch), cmp.Compare(a.Name, b.Name))
	})
	return all, err
}

// parse returns the functions of one file.
func parse(text []byte, dir, arch string) (kernels []Kernel) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		if f := function.FindStringSubmatch(lines.Text()); f != nil {
			kernels = append(kernels, Kernel{Package: dir, Name: f[1], Arch: arch, Set: set(f[1], arch)})
			continue
		}
		words := strings.Fields(lines.Text())
		if len(words) == 0 || len(kernels) == 0 {
			continue
		}
		k := &kernels[len(kernels)-1]
		for _, e := range extensions {
			if e.instructions.MatchString(words[0]) && !slices.Contains(k.Needs, e.name) {
				k.Needs = append(k.Needs, e.name)
			}
		}
	}
	return kernels
}

// set returns the instruction set that the name of a kernel ends with.
func set(name, arch string) string {
	for _, s := range []string{"AVX512", "AVX2", "NEON"} {
		if strings.HasSuffix(name, s) {
			return strings.ToLower(s)
		}
	}
	return arch
}

// Packages returns the folders of the packages of some kernels, sorted.
func Packages(kernels []Kernel) []string {
	var dirs []string
	for _, k := range kernels {
		dirs = append(dirs, k.Package)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// Of returns the kernels of an instruction set.
func Of(kernels []Kernel, set string) []Kernel {
	return slices.DeleteFunc(slices.Clone(kernels), func(k Kernel) bool { return k.Set != set })
}
