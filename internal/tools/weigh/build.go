package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// build builds the program to a file and returns its size in bytes.
func build(to string, flags ...string) (int64, error) {
	// The empty -ldflags overrides one in the environment.
	args := slices.Concat([]string{"build", "-o", to, "-ldflags="}, flags, []string{"./cmd/unfold"})
	c := exec.Command("go", args...)
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if text, err := c.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, text)
	}
	info, err := os.Stat(to)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// weighed is a part or a variant, with its size in bytes.
type weighed struct {
	name  string
	bytes int64
}

// symbols sums the code of a program by module, the largest first, and in total.
func symbols(program string) (parts []weighed, code int64, err error) {
	modules, own, err := modules()
	if err != nil {
		return nil, 0, err
	}
	text, err := exec.Command("go", "tool", "nm", "-size", "-type", program).Output()
	if err != nil {
		return nil, 0, fmt.Errorf("go tool nm: %w", err)
	}
	sums := map[string]int64{}
	for line := range strings.Lines(string(text)) {
		// ADDRESS SIZE TYPE NAME
		f := strings.Fields(line)
		if len(f) < 4 || f[2] != "T" && f[2] != "t" {
			continue
		}
		size, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil {
			return nil, 0, fmt.Errorf("go tool nm says %q", line)
		}
		sums[moduleOf(f[3], modules, own)] += size
		code += size
	}
	for name, size := range sums {
		parts = append(parts, weighed{name, size})
	}
	slices.SortFunc(parts, func(a, b weighed) int { return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.name, b.name)) })
	return parts, code, nil
}

const standard = "Go's standard library and runtime"

// modules lists the paths of all modules that may be linked, the longest first, and the path of
// this module.
func modules() (all []string, own string, err error) {
	text, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Main}}{{end}}", "./cmd/unfold").Output()
	if err != nil {
		return nil, "", fmt.Errorf("go list: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) != 2 {
			continue
		}
		all = append(all, f[0])
		if f[1] == "true" {
			own = f[0]
		}
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(all), own, nil
}

// several are path prefixes of projects whose modules are counted together.
var several = []string{"github.com/aws", "go.opentelemetry.io/otel", "github.com/twmb/franz-go", "golang.org/x", "google.golang.org/grpc"}

// moduleOf names the module that a symbol belongs to.
func moduleOf(symbol string, modules []string, own string) string {
	symbol = strings.TrimPrefix(symbol, "type:.eq.")
	for _, m := range modules {
		// The linker writes a dot in the last element as %2e.
		escaped := m[:strings.LastIndexByte(m, '/')+1] + strings.ReplaceAll(m[strings.LastIndexByte(m, '/')+1:], ".", "%2e")
		if rest, is := strings.CutPrefix(symbol, escaped); !is || rest == "" || !strings.ContainsAny(rest[:1], "./") {
			if rest, is := strings.CutPrefix(symbol, m); !is || rest == "" || !strings.ContainsAny(rest[:1], "./") {
				continue
			}
		}
		if m == own {
			return "the program's own"
		}
		for _, s := range several {
			if strings.HasPrefix(m, s) {
				return s + "/..."
			}
		}
		return m
	}
	return standard
}

// variant is the program without one part, which shows how much that part adds.
type variant struct {
	name  string
	flags []string
	// module is the module whose files are changed; "" means this one.
	module string
	edits  []edit
}

// edit is a change of a file.
type edit struct {
	file    string
	replace *regexp.Regexp
	by      string
}

var variants = []variant{
	{name: "without S3", edits: []edit{{"stream/store/url.go", regexp.MustCompile(`(?m)^\s*_ "gocloud.dev/blob/s3blob".*\n`), ""}}},
	// Looking up a method by a name that is not constant makes the linker keep every exported
	// method of every used type. kong does so, and text/template, which comes with gRPC's tracing.
	{
		name: "if kong looked up methods by constant names", flags: []string{"-tags=grpcnotrace"}, module: "github.com/alecthomas/kong",
		edits: []edit{
			{"callbacks.go", regexp.MustCompile(`(value(?:\.Addr\(\))?)\.MethodByName\(name\)`), `valueMethod($1, name)`},
			{"callbacks.go", regexp.MustCompile(`\bt\.MethodByName\(name\)`), `typeMethod(t, name)`},
			{"callbacks.go", regexp.MustCompile(`\z`), constantNames},
			{"context.go", regexp.MustCompile(`(?s)\t\t\t\tfor i := 0; i < p\.NumMethod\(\); i\+\+ \{.*?\n\t\t\t\t\}\n`), "_ = t\n"},
		},
	},
}

const constantNames = `
func valueMethod(v reflect.Value, name string) reflect.Value {
	switch name {
	case "Run":
		return v.MethodByName("Run")
	case "BeforeReset":
		return v.MethodByName("BeforeReset")
	case "BeforeResolve":
		return v.MethodByName("BeforeResolve")
	case "BeforeApply":
		return v.MethodByName("BeforeApply")
	case "AfterApply":
		return v.MethodByName("AfterApply")
	}
	return reflect.Value{}
}

func typeMethod(t reflect.Type, name string) (reflect.Method, bool) {
	switch name {
	case "Run":
		return t.MethodByName("Run")
	case "AfterApply":
		return t.MethodByName("AfterApply")
	}
	return reflect.Method{}, false
}
`

// prepare returns the go command's flags for a variant, whose files go to dir.
func (v variant) prepare(dir string) ([]string, error) {
	if v.module != "" {
		return v.copied(dir)
	}
	replaced := map[string]string{}
	for i, e := range v.edits {
		path, err := filepath.Abs(e.file)
		if err != nil {
			return nil, err
		}
		replaced[path] = filepath.Join(dir, fmt.Sprintf("overlay-%d.go", i))
		if err := e.apply(path, replaced[path]); err != nil {
			return nil, err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "overlay.json")
	return append(slices.Clone(v.flags), "-overlay="+file), os.WriteFile(file, list, 0o600)
}

// copied changes a copy of another module, which replaces the original in this build.
func (v variant) copied(dir string) ([]string, error) {
	from, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", v.module).Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m %s: %w", v.module, err)
	}
	to := filepath.Join(dir, "module")
	if err := os.CopyFS(to, os.DirFS(strings.TrimSpace(string(from)))); err != nil {
		return nil, err
	}
	for _, e := range v.edits {
		path := filepath.Join(to, e.file)
		if err := e.apply(path, path); err != nil {
			return nil, err
		}
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		return nil, err
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "variant.mod")
	mod = fmt.Appendf(mod, "\nreplace %s => %s\n", v.module, to)
	return append(slices.Clone(v.flags), "-modfile="+file), errors.Join(os.WriteFile(file, mod, 0o600), os.WriteFile(filepath.Join(dir, "variant.sum"), sums, 0o600))
}

// apply reads a file, edits it and writes it under another name.
func (e edit) apply(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if !e.replace.Match(text) {
		return fmt.Errorf("%s does not hold %s any more", e.file, e.replace)
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // the module cache and its copies are read-only
	}
	return os.WriteFile(to, e.replace.ReplaceAll(text, []byte(e.by)), 0o600)
}
