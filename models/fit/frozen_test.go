package fit

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"unfold/internal/atomicfile"
	"unfold/internal/offsets"
	"unfold/internal/simd"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/gplvm"
	"unfold/models/classic/lllvm"
	"unfold/models/lvm"
	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/models/prior"
	"unfold/models/saul"
	"unfold/models/snapshot"
	"unfold/models/student"
	"unfold/sparse/distance"
	"unfold/sparse/knn/auto"
)

// freeze writes the last of the frozen files if it is missing. A frozen file is never written
// again: it represents the files that users have.
var freeze = flag.Bool("freeze", false, "make the last of the frozen snapshots")

const frozenDir = "../../testdata/snapshots"

// frozenFile represents all files of a version, or files with a block that was added later.
type frozenFile struct {
	name   string
	format int
	// spec is the settings in the file. It names every field that existed then: version 1 had
	// Gaussian tails only.
	spec Spec
}

// frozen lists the files. Maps with Gaussian tails are still written as version 1.
var frozen = []frozenFile{
	{"v1", 1, Spec{
		Kind: LVM, PCA: 5, NoveltyK: 10, Common: models.Common{Dims: 2, Neighbors: 9, Steps: 40, Seed: 3, Lists: 10},
		LVM: lvm.Options{Tails: lvm.Gaussian, Saul: saul.Options{Core: 1, Momentum: 0.9, Tolerance: 0.01, Components: saul.Largest, Floor: 1e-6}},
	}},
	{"v2-student", 2, Spec{
		Kind: LVM, PCA: 5, NoveltyK: 10, Common: models.Common{Dims: 2, Neighbors: 6, Steps: 40, Seed: 3, Lists: 10},
		LVM: lvm.Options{Student: student.Options{
			Momentum: 0.9, Tolerance: 0.1, Tail: 1, Weight: 0.086, Sigma2: 0.1, Coarse: models.CoarseMap, Sigma: student.Shared,
		}},
	}},
	{"v2-index", 2, Spec{
		Kind: LVM, PCA: 5, NoveltyK: 10,
		Common: models.Common{Dims: 2, Neighbors: 6, Steps: 40, Seed: 3, Lists: 10, Search: auto.Settings{Method: auto.HNSW, Recall: 0.97}},
		LVM: lvm.Options{Student: student.Options{
			Momentum: 0.9, Tolerance: 0.1, Tail: 1, Weight: 0.086, Sigma2: 0.1, Coarse: models.CoarseAll, Gain: -1,
		}},
	}},
	{"v1-lllvm", 1, Spec{
		Kind: LLLVM, PCA: 5, NoveltyK: 10, Common: models.Common{Dims: 2, Neighbors: 7, Steps: 30, Seed: 3, Lists: 10},
		LLLVM: lllvm.Options{Points: 60, MaxNeighbors: 8, Restarts: 2, Epsilon: 0.002, Alpha: 0.001, Tolerance: 1e-7, Largest: true},
	}},
	{"v1-gplvm", 1, Spec{
		Kind: GPLVM, PCA: 5, NoveltyK: 10, Common: models.Common{Dims: 2, Neighbors: 7, Steps: 20, Seed: 3, Lists: 10},
		GPLVM: gplvm.Options{Points: 50, Kernel: "rbf+bias+white", Restarts: 1, Tolerance: 1e-4},
	}},
	{"v3-probit", 3, Spec{
		Kind: GPLVM, PCA: PCANone, NoveltyK: 10, Common: models.Common{Dims: 2, Neighbors: 7, Steps: 3, Seed: 3, Lists: 10},
		GPLVM: gplvm.Options{Points: 200, Kernel: "rbf+bias+white", Restarts: 1, Start: gplvm.StartPCA, Optimizer: "scg", Active: 30, Noise: gplvm.NoiseProbit, Tolerance: 1e-4},
	}},
	{"v3-manhattan", 3, Spec{
		Kind: LVM, PCA: PCANone, NoveltyK: 10, Common: models.Common{Dims: 2, Neighbors: 6, Steps: 40, Seed: 3, Lists: 10, Distance: distance.Manhattan},
		LVM: lvm.Options{Student: student.Options{
			Momentum: 0.9, Tolerance: 0.1, Tail: 1, Weight: 0.086, Sigma2: 0.1, Coarse: models.CoarseAll, Sigma: student.Shared,
			RankDecay: 0.7, Prior: prior.Settings{Frame: prior.PCA, Schedule: prior.Schedule{From: 0.1, To: 0.0018}},
		}},
	}},
	{"v1-hybrid", 1, Spec{
		Kind: GPLVM, PCA: 5, NoveltyK: 10, Common: models.Common{Dims: 2, Neighbors: 7, Steps: 20, Seed: 3, Lists: 10},
		GPLVM: gplvm.Options{Points: 50, Active: 8, Supervision: 1},
	}},
}

func (f frozenFile) path() string { return filepath.Join(frozenDir, f.name) }

// rulesFor returns the rules for placing on a map.
func rulesFor(s *snapshot.Snapshot) []placing.Rule {
	if s.Kind != LVM {
		return []placing.Rule{placing.RuleAuto}
	}
	if lvm.TailsOf(s) == lvm.Gaussian {
		return []placing.Rule{placing.Median, placing.EM}
	}
	return []placing.Rule{placing.Median, placing.Robust, placing.LLE}
}

// golden is the expected result of a frozen snapshot: places of some events by each rule.
type golden struct {
	Events [][]float32
	Places map[string][]goldenPlace
}

type goldenPlace struct {
	Mu                   []float32
	Sigma, Local, Global float32
}

// snapshot learns the map in the file. It has duplicates, a projection, a row that is not learnt
// (Gaussian tails), and every optional part.
func (f frozenFile) snapshot(t *testing.T) *snapshot.Snapshot {
	x := modeltest.Events(21, 140, 12)
	for i := range x.Rows {
		// One cloud, a few duplicates, two rows far away.
		for j := range x.Row(i) {
			x.Row(i)[j] /= 4
		}
		if i%20 == 19 {
			copy(x.Row(i), x.Row(i-10))
		}
		if i >= 138 {
			x.Row(i)[0] += 500
		}
	}
	spec := f.spec
	if spec.PredictsClasses() {
		spec.Labels = make([]string, x.Rows)
		for i := range x.Rows {
			spec.Labels[i] = []string{"", "low", "high"}[i%3]
		}
	}
	s, _, err := Fit(context.Background(), f.rows(x), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Version, s.Epoch = 17, 2
	s.Encoder = []byte(`{"version":1,"columns":["a","b"]}`)
	s.Names = strings.Split("a b c d e f g h i j k l", " ")
	s.Positions = []snapshot.Position{offsets.At("events", 0, 1234), offsets.At("events", 3, 99)}
	return s
}

// rows returns x as the map takes it: the signs as 0 and 1, or the values.
func (f frozenFile) rows(x vec.Matrix[float32]) vec.Matrix[float32] {
	if !f.spec.binary() {
		return x
	}
	signs := vec.New[float32](x.Rows, x.Cols)
	for i, v := range x.Data {
		if v > 0 {
			signs.Data[i] = 1
		}
	}
	return signs
}

func frozenEvents() vec.Matrix[float32] {
	x := modeltest.Events(22, 12, 12)
	for i := range x.Data[:10*12] {
		x.Data[i] /= 4
	}
	return x
}

func placeAll(t *testing.T, s *snapshot.Snapshot, rule placing.Rule, x vec.Matrix[float32]) []goldenPlace {
	t.Helper()
	p, err := Open(s, placing.Options{Rule: rule})
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Place(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]goldenPlace, x.Rows)
	for i := range out {
		out[i] = goldenPlace{got.Mu.Row(i), got.Sigma[i], got.NoveltyLocal[i], got.NoveltyGlobal[i]}
	}
	return out
}

// TestFrozenSnapshots: files of every version still load and place events as they did when written.
// The results are the same bits on the same kind of processor, and agree to 1e-5 on others.
func TestFrozenSnapshots(t *testing.T) {
	if *freeze {
		makeFrozen(t)
	}
	files, err := filepath.Glob(filepath.Join(frozenDir, "*.unfold"))
	if err != nil || len(files) != len(frozen)+1 { // and the file of TestFrozenGraph
		t.Fatalf("%d frozen files (%v), want %d", len(files), err, len(frozen)+1)
	}
	for _, f := range frozen {
		t.Run(f.name, func(t *testing.T) {
			file := f.path() + ".unfold"
			if info, err := readInfo(file); err != nil || int(info.Format) != f.format {
				t.Fatalf("format %+v (%v), want %d", info, err, f.format)
			}
			s, err := snapshot.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(strings.TrimSuffix(file, ".unfold") + ".json")
			if err != nil {
				t.Fatal(err)
			}
			var want golden
			if err := json.Unmarshal(raw, &want); err != nil {
				t.Fatal(err)
			}
			x := vec.Of(len(want.Events), s.Dim, slices.Concat(want.Events...))
			for _, rule := range rulesFor(s) {
				got := placeAll(t, s, rule, x)
				if len(got) == 0 || len(got) != len(want.Places[rule.String()]) {
					t.Fatalf("rule %v: %d events, %d places", rule, len(got), len(want.Places[rule.String()]))
				}
				for i, g := range got {
					if w := want.Places[rule.String()][i]; !samePlace(f.spec.Kind, g, w) {
						t.Errorf("rule %v: event %d is at %+v, want %+v", rule, i, g, w)
					}
				}
			}
			if s.Version != 17 || s.Epoch != 2 || len(s.Positions) != 2 || len(s.Names) != 12 || len(s.Encoder) == 0 || (s.Unlearnt == nil) == (f.format == 1) || (s.Student == nil) == (f.spec.Kind == LVM && f.format >= 2) || (s.Index == nil) == (f.name == "v2-index") || slices.Max(s.Count) < 2 {
				t.Errorf("parts of the file are missing: %+v", s)
			}
			// Strictly: an unknown name would lose a setting.
			kept := specFile{LVM: lvm.File{Tails: lvm.Gaussian}} // as ParseSpec returns it
			strict := json.NewDecoder(bytes.NewReader(s.Settings))
			strict.DisallowUnknownFields()
			err = strict.Decode(&kept)
			spec := kept.spec()
			spec.Distance = s.Distance // which is stored in a block of its own
			if err != nil || !reflect.DeepEqual(spec, f.spec) {
				t.Errorf("the settings are %+v (%v), want %+v", spec, err, f.spec)
			}
			if raw, err := json.Marshal(spec); err != nil || kept != spec.file() {
				t.Errorf("the settings are written as %s (%v), were %s", raw, err, s.Settings)
			}
			if parsed, err := ParseSpec(s); err != nil || !reflect.DeepEqual(parsed, spec) {
				t.Errorf("ParseSpec gives %+v (%v), want %+v", parsed, err, spec)
			}
		})
	}
}

// docs/reference/model-file.md names every setting, and no other.
func TestTheDocumentNamesEverySetting(t *testing.T) {
	raw, err := os.ReadFile("../../docs/reference/model-file.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(raw), "### Settings")
	table, _, _ = strings.Cut(table, "\n### ")
	var documented []string
	for _, line := range strings.Split(table, "\n") {
		if names, ok := strings.CutPrefix(line, "| `"); ok {
			names, _, _ = strings.Cut(names, "` |")
			documented = append(documented, strings.Split(names, "`, `")...)
		}
	}
	names := func(prefix string, of reflect.Type) (list []string) {
		for f := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(f).Tag.Get("json"), ",")
			if name != "-" && !slices.Contains([]string{LVM, LLLVM, GPLVM}, name) {
				list = append(list, prefix+name)
			}
		}
		return list
	}
	want := slices.Concat(names("", reflect.TypeFor[specFile]()), names("lvm.", reflect.TypeFor[lvm.File]()), names("lllvm.", reflect.TypeFor[lllvm.Options]()), names("gplvm.", reflect.TypeFor[gplvm.Options]()))
	for _, k := range registry {
		if k.Settings == nil {
			continue
		}
		switch k.Settings().(type) {
		case *textbookSettings:
			want = append(want, names(k.Name+".", reflect.TypeFor[textbookFile]())...)
		case *kernelSettings:
			want = append(want, names(k.Name+".", reflect.TypeFor[kernelFile]())...)
		case *topographicSettings:
			want = append(want, names(k.Name+".", reflect.TypeFor[topographicFile]())...)
		}
	}
	slices.Sort(documented)
	slices.Sort(want)
	if !slices.Equal(documented, want) {
		t.Errorf("docs/reference/model-file.md has the settings %q, the files %q", documented, want)
	}
}

// samePlace compares places. Those of a Gaussian process come from matrix factors, where another
// order of summation rounds differently. Others depend on the processor alone.
func samePlace(kind string, a, b goldenPlace) bool {
	if kind != GPLVM && simd.Best() == simd.AVX512 { // the processor that wrote them
		return reflect.DeepEqual(a, b)
	}
	flat := func(p goldenPlace) []float32 { return append(slices.Clone(p.Mu), p.Sigma, p.Local, p.Global) }
	x, y := flat(a), flat(b)
	for i := range x {
		if math.Abs(float64(x[i]-y[i])) > 1e-5*(1+math.Abs(float64(y[i]))) {
			return false
		}
	}
	return true
}

func readInfo(file string) (*snapshot.Info, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return snapshot.ReadInfo(bytes.NewReader(raw))
}

// A file is written byte for byte as the frozen one, so the format has not changed without a new
// version.
func TestFrozenSnapshotIsWrittenTheSame(t *testing.T) {
	for _, f := range frozen {
		raw, err := os.ReadFile(f.path() + ".unfold")
		if err != nil {
			t.Fatal(err)
		}
		s, err := snapshot.Read(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := snapshot.Write(&out, s); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.Bytes(), raw) {
			t.Errorf("writing the frozen snapshot %s gives other bytes; a change of the format needs a new version and a new frozen file", f.name)
		}
	}
}

func makeFrozen(t *testing.T) {
	f := frozen[len(frozen)-1]
	base := f.path()
	if _, err := os.Stat(base + ".unfold"); err == nil {
		t.Fatalf("%s.unfold is frozen", base)
	}
	s, x := f.snapshot(t), f.rows(frozenEvents())
	g := golden{Places: map[string][]goldenPlace{}}
	for i := range x.Rows {
		g.Events = append(g.Events, x.Row(i))
	}
	for _, rule := range rulesFor(s) {
		g.Places[rule.String()] = placeAll(t, s, rule, x)
	}
	raw, err := json.MarshalIndent(g, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(base+".json", append(raw, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(base+".unfold", func(w io.Writer) error { return snapshot.Write(w, s) }); err != nil {
		t.Fatal(err)
	}
}

// FuzzPlace places arbitrary vectors on the frozen maps. The result is an error that names the row,
// or finite numbers that are the same bits alone and in a batch.
func FuzzPlace(f *testing.F) {
	var placers []models.Placer
	var files []frozenFile
	for _, file := range frozen {
		s, err := snapshot.ReadFile(file.path() + ".unfold")
		if err != nil {
			f.Fatal(err)
		}
		for _, rule := range rulesFor(s) {
			p, err := Open(s, placing.Options{Rule: rule})
			if err != nil {
				f.Fatal(err)
			}
			placers, files = append(placers, p), append(files, file)
		}
	}
	company := frozenEvents()
	for i := range company.Rows {
		var raw []byte
		for _, v := range company.Row(i) {
			raw = appendFloat(raw, v)
		}
		f.Add(raw)
	}
	huge := make([]byte, 0, 48)
	for range 12 {
		huge = appendFloat(huge, math.MaxFloat32)
	}
	f.Add(huge)
	f.Add(appendFloat(nil, float32(math.NaN())))
	f.Fuzz(func(t *testing.T, raw []byte) {
		x := company.Slice(0, 3).Clone()
		for j := range x.Row(1) {
			if len(raw) >= 4*j+4 {
				x.Row(1)[j] = floatAt(raw, j)
			}
		}
		for k, p := range placers {
			x := x
			if files[k].spec.binary() { // a batch with a vector of any values
				signs := files[k].rows(x)
				copy(signs.Row(1), x.Row(1))
				x = signs
			}
			all, err := p.Place(context.Background(), x)
			alone, aloneErr := p.Place(context.Background(), x.Slice(1, 2))
			if err != nil || aloneErr != nil {
				if !models.IsBadInput(err) || !models.IsBadInput(aloneErr) || !strings.Contains(err.Error(), "row 1") {
					t.Fatalf("errors %v and %v", err, aloneErr)
				}
				continue
			}
			if models.CheckRows(all.Mu, nil) != nil || !(all.Sigma[1] > 0) || math.IsInf(float64(all.Sigma[1]), 0) {
				t.Fatalf("placed at %v with scale %g", all.Mu.Row(1), all.Sigma[1])
			}
			if !slices.Equal(all.Mu.Row(1), alone.Mu.Row(0)) || all.Sigma[1] != alone.Sigma[0] ||
				all.NoveltyLocal[1] != alone.NoveltyLocal[0] || all.NoveltyGlobal[1] != alone.NoveltyGlobal[0] {
				t.Fatal("alone an event has other bits than in company")
			}
		}
	})
}

func appendFloat(b []byte, v float32) []byte {
	u := math.Float32bits(v)
	return append(b, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
}

func floatAt(b []byte, j int) float32 {
	b = b[4*j:]
	return math.Float32frombits(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24)
}
