package archtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// pkg is the output of `go list -json` for a package.
type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
	Deps                               []string
	Module                             struct{ Path string }
	Error                              *struct{ Err string }
}

// root is the module's path, the library's package, and the name of its layer.
var root = modulePath()

func modulePath() string {
	text, err := os.ReadFile("../../../go.mod")
	if err != nil {
		panic(err)
	}
	return modfile.ModulePath(text)
}

// below lists, for every layer, the layers that it may import, including itself.
var below = map[string][]string{
	"cmd":      {"cmd", root, "stream", "ingest", "models", "coarse", "sparse", "testdata", "internal", "web"},
	"bench":    {"bench", root, "stream", "ingest", "models", "coarse", "sparse", "internal", "testdata"},
	root:       {root, "models", "coarse", "sparse", "internal"},
	"stream":   {"stream", "ingest", "models", "coarse", "sparse", "internal"},
	"ingest":   {"ingest", "sparse", "internal"},
	"models":   {"models", "coarse", "sparse", "internal"},
	"web":      {},
	"coarse":   {"coarse", "sparse", "internal"},
	"sparse":   {"sparse", "internal"},
	"internal": {"internal"},
	"testdata": {},
	"docs":     {"docs"},
}

// homes lists, for every heavy dependency, the folders that may import it, and further ones whose
// tests may; "." is only the root.
var homes = []struct {
	dependency  string
	code, tests []string
}{
	{"github.com/apache/arrow/go", []string{"ingest"}, nil},
	{"github.com/apache/arrow-go", []string{"ingest"}, nil},
	{"github.com/segmentio/kafka-go", []string{"stream/kafka", "bench/internal/traffic"}, []string{"cmd"}},
	{"github.com/xdg-go/scram", []string{"stream/kafka"}, nil},
	{"github.com/klauspost/compress", []string{"ingest", "stream/kafka"}, []string{"stream"}},
	{"github.com/twmb/franz-go", []string{"cmd", "stream/streamtest", "stream/kafka", "stream/registry"}, []string{"stream"}},
	{"github.com/twmb/franz-go/pkg/kgo", []string{"cmd", "stream/streamtest", "stream/kafka/kafkatest", "stream/registry"}, []string{"stream"}},
	{"github.com/twmb/franz-go/pkg/kfake", []string{"cmd", "stream/streamtest", "stream/kafka/kafkatest", "stream/registry"}, []string{"stream"}},
	{"github.com/twmb/franz-go/pkg/sr", []string{"stream/registry"}, []string{"cmd"}},
	{"google.golang.org/protobuf", []string{"ingest/protorec", "ingest/emit", "cmd/internal"}, []string{"ingest", "stream"}},
	{"github.com/bufbuild/protocompile", []string{"ingest/protorec"}, nil},
	{"github.com/prometheus", []string{"cmd/internal"}, nil},
	{"github.com/aws/aws-sdk-go-v2", []string{"stream/kafka"}, nil},
	{"go.opentelemetry.io", []string{"cmd/internal/trace"}, []string{"cmd/internal/cli"}},
	{"github.com/twmb/avro", []string{"ingest"}, []string{"stream"}},
	{"net/http", []string{"cmd/internal", "stream/registry", "stream/store/storetest"}, nil},
	{"github.com/coder/websocket", []string{"cmd/internal/viewer"}, []string{"cmd"}},
	{"github.com/chromedp", []string{"cmd/internal/viewer/browser"}, []string{"cmd"}},
	{"gocloud.dev", []string{"stream/store"}, []string{"stream"}},
	{"github.com/johannesboyne/gofakes3", []string{"stream/store/storetest"}, nil},
	{"gonum.org/v1/plot", []string{"cmd/internal", "bench/why", "bench/speed"}, nil},
	{"github.com/go-text/typesetting", []string{"cmd/internal/plot"}, nil},
	{"github.com/alecthomas/kong", []string{"cmd/internal"}, nil},
	{"github.com/james-bowman/sparse", []string{".", "sparse"}, nil},
	{"golang.org/x/sys/cpu", []string{"internal/simd"}, nil},
}

// unlinked are modules for tests, generators and measurements, which the program must not link.
var unlinked = []string{"github.com/mmcloughlin/avo", "pgregory.net/rapid", "go.uber.org/goleak", "github.com/johannesboyne/gofakes3",
	"github.com/chromedp/chromedp", "honnef.co/go/tools", "github.com/apache/arrow/go/v15/parquet", "github.com/apache/arrow/go/v15/arrow/compute", "gonum.org/v1/plot/plotter", "github.com/google/licensecheck", "golang.org/x/mod"}

// modules are the folders of the modules beside the product's: the measuring commands, and the
// generators of assembly.
var modules = []string{"bench", "internal/asm"}

// unknowing are the layers that must not link, directly or indirectly, the packages in unknown.
var (
	unknowing = []string{root, "internal", "sparse", "coarse", "models"}
	unknown   = []string{"github.com/segmentio/kafka-go", "github.com/twmb/franz-go", "github.com/apache/arrow", "github.com/apache/arrow-go", "net/http", "github.com/prometheus",
		"gocloud.dev", "go.opentelemetry.io", "github.com/aws", root + "/stream", root + "/ingest"}
)

func TestImportsPointOneWay(t *testing.T) {
	for _, p := range packages(t) {
		from := layer(p.ImportPath)
		allowed, known := below[from]
		if !known {
			t.Errorf("%s: folder %q is no layer; give it its place in below", p.ImportPath, from)
			continue
		}
		for _, i := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if to := layer(i); to != "" && !slices.Contains(allowed, to) {
				t.Errorf("%s imports %s: %s may import only %s", p.ImportPath, i, from, strings.Join(allowed, ", "))
			}
		}
	}
}

func TestHeavyDependenciesStayAtTheLeaves(t *testing.T) {
	for _, p := range packages(t) {
		for _, h := range homes {
			if i := first(p.Imports, h.dependency); i != "" && !within(p.ImportPath, h.code) {
				t.Errorf("%s imports %s, which belongs to %s", p.ImportPath, i, strings.Join(h.code, ", "))
			}
			places := slices.Concat(h.code, h.tests)
			if i := first(slices.Concat(p.TestImports, p.XTestImports), h.dependency); i != "" && !within(p.ImportPath, places) {
				t.Errorf("the tests of %s import %s, which belongs to %s", p.ImportPath, i, strings.Join(places, ", "))
			}
		}
	}
}

func TestModelsLinkNoTransport(t *testing.T) {
	for _, p := range packages(t) {
		if !slices.Contains(unknowing, layer(p.ImportPath)) {
			continue
		}
		for _, u := range unknown {
			if d := first(p.Deps, u); d != "" {
				t.Errorf("%s links %s, directly or through another package", p.ImportPath, d)
			}
		}
	}
}

// TestClassicStandsApart checks that the product's own models do not depend on those of the papers in
// models/classic: only the table of kinds and the options of the library know them.
func TestClassicStandsApart(t *testing.T) {
	classic := root + "/models/classic"
	seen := false
	for _, p := range packages(t) {
		if within(p.ImportPath, []string{"models/classic"}) {
			seen = true
			continue
		}
		if i := first(p.Imports, classic); i != "" && !within(p.ImportPath, []string{".", "models/fit", "bench"}) {
			t.Errorf("%s imports %s, which only models/fit, the root package and bench know", p.ImportPath, i)
		}
	}
	if !seen {
		t.Error("no package in models/classic")
	}
}

func TestLayersExist(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range packages(t) {
		seen[layer(p.ImportPath)] = true
	}
	for l := range below {
		if !seen[l] {
			t.Errorf("no package in layer %s: the tests above looked at nothing there", l)
		}
	}
}

// TestProductLinksNoTool checks that the program links no module that only tests and tools need, as
// docs/dependencies.md promises.
func TestProductLinksNoTool(t *testing.T) {
	for _, p := range packages(t) {
		if p.ImportPath != root+"/cmd/unfold" {
			continue
		}
		for _, u := range unlinked {
			if d := first(p.Deps, u); d != "" {
				t.Errorf("%s links %s, which is for tests, generators and measurements", p.ImportPath, d)
			}
		}
		return
	}
	t.Error("no cmd/unfold among the packages")
}

// TestGeneratorsStandAlone checks that only the generators of assembly, which go generate runs, link
// avo, which writes assembly.
func TestGeneratorsStandAlone(t *testing.T) {
	generators := 0
	for _, p := range packages(t) {
		if first(p.Deps, "github.com/mmcloughlin/avo") == "" {
			continue
		}
		generators++
		if !within(p.ImportPath, []string{"internal/asm"}) {
			t.Errorf("%s links avo, which belongs to the generators in internal/asm", p.ImportPath)
		}
	}
	if generators == 0 {
		t.Error("no package links avo")
	}
}

// TestModules checks that the measuring commands and the generators are modules of their own, with the
// product's versions of dependencies.
func TestModules(t *testing.T) {
	for _, p := range packages(t) {
		want := root
		for _, m := range modules {
			if within(p.ImportPath, []string{m}) {
				want = root + "/" + m
			}
		}
		if p.Module.Path != want {
			t.Errorf("%s belongs to module %q, want %q", p.ImportPath, p.Module.Path, want)
		}
	}
	require := regexp.MustCompile(`(?m)^\t(\S+) (v\S+)`)
	versions := func(mod string) map[string]string {
		text, err := os.ReadFile(mod)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]string{}
		for _, m := range require.FindAllStringSubmatch(string(text), -1) {
			found[m[1]] = m[2]
		}
		return found
	}
	product := versions("../../../go.mod")
	for _, m := range modules {
		for module, version := range versions(filepath.Join("../../..", m, "go.mod")) {
			if p, shared := product[module]; shared && p != version {
				t.Errorf("%s/go.mod requires %s %s, go.mod %s (make modules takes go.mod's over)", m, module, version, p)
			}
		}
	}
}

// packages lists the packages of all modules with their direct and indirect imports.
func packages(t *testing.T) []pkg {
	t.Helper()
	all := list(t, ".", root+"/...", root+"/testdata/kdd")
	for _, m := range modules {
		all = append(all, list(t, filepath.Join("../../..", m), root+"/"+m+"/...")...)
	}
	return all
}

// list returns the output of go list in a folder.
func list(t *testing.T, folder string, patterns ...string) []pkg {
	t.Helper()
	list := exec.Command("go", append([]string{"list", "-C", folder, "-e",
		"-json=ImportPath,Imports,TestImports,XTestImports,Deps,Module,Error"}, patterns...)...)
	list.Env = append(os.Environ(), "GOWORK=off")
	complaints := new(bytes.Buffer)
	list.Stderr = complaints
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list in %s: %v\n%s", folder, err, complaints)
	}
	var all []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Error != nil {
			t.Errorf("go list in %s: %s: %s", folder, p.ImportPath, p.Error.Err)
		}
		all = append(all, p)
	}
}

// layer returns the top folder of a package of this module, root for the library, or "".
func layer(path string) string {
	if path == root {
		return root
	}
	rest, own := strings.CutPrefix(path, root+"/")
	if !own {
		return ""
	}
	top, _, _ := strings.Cut(rest, "/")
	return top
}

// first returns the first path that equals prefix or is below it, or "".
func first(paths []string, prefix string) string {
	for _, p := range paths {
		if p == prefix || strings.HasPrefix(p, prefix+"/") {
			return p
		}
	}
	return ""
}

// within reports whether a package is in one of homes or below it; the root has nothing below it.
func within(path string, homes []string) bool {
	folder, own := strings.CutPrefix(path, root)
	folder = cmp.Or(strings.TrimPrefix(folder, "/"), ".")
	return own && slices.ContainsFunc(homes, func(h string) bool { return folder == h || first([]string{folder}, h) != "" })
}
