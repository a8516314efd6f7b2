package labels

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"unfold/internal/testkit/tier"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/snapshot"
)

// rings returns n labelled places on circles, one per class, with scales.
func rings(n, classes int, seed uint64) Events { return blurred(n, classes, .3, seed) }

// blurred returns rings whose places have errors with scales of up to 0.2 + wide.
func blurred(n, classes int, wide float64, seed uint64) Events {
	rnd := rand.New(rand.NewPCG(seed, 9))
	e := Events{Mu: vec.New[float64](n, 2), Sigma: make([]float64, n), Class: make([]int32, n)}
	for c := range classes {
		e.Names = append(e.Names, string(rune('a'+c)))
	}
	for i := range n {
		c := rnd.IntN(classes)
		angle, r := 2*math.Pi*rnd.Float64(), 2*float64(c+1)
		e.Class[i], e.Sigma[i] = int32(c), .2+wide*rnd.Float64()
		e.Mu.Row(i)[0] = r*math.Cos(angle) + e.Sigma[i]*rnd.NormFloat64()
		e.Mu.Row(i)[1] = r*math.Sin(angle) + e.Sigma[i]*rnd.NormFloat64()
	}
	return e
}

func (e Events) places() models.Placed {
	at := models.Placed{Mu: vec.Convert[float32](e.Mu), Sigma: make([]float32, len(e.Sigma)), Seen: e.Seen}
	for i, s := range e.Sigma {
		at.Sigma[i] = float32(s)
	}
	return at
}

// slice returns the rows from..to of places.
func slice(at models.Placed, from, to int) models.Placed {
	out := models.Placed{Mu: at.Mu.Slice(from, to), Sigma: at.Sigma[from:to]}
	if at.Seen.Rows > 0 {
		out.Seen = at.Seen.Slice(from, to)
	}
	return out
}

func train(t testing.TB, e Events, old *Classifier, set Settings) (*Classifier, Report) {
	t.Helper()
	c, r, err := Train(context.Background(), e, old, set)
	if err != nil {
		t.Fatal(err)
	}
	return c, r
}

// predict returns the classes of places and their probabilities.
func predict(t testing.TB, c *Classifier, at models.Placed, threads int) ([]int32, []float32) {
	t.Helper()
	class, p := make([]int32, at.Mu.Rows), make([]float32, at.Mu.Rows)
	if err := c.Predict(context.Background(), class, p, at, threads); err != nil {
		t.Fatal(err)
	}
	return class, p
}

// probabilities returns the probabilities of all classes (places x classes).
func probabilities(t testing.TB, c *Classifier, at models.Placed, threads int) vec.Matrix[float64] {
	t.Helper()
	p := vec.New[float64](at.Mu.Rows, len(c.Names))
	if err := c.Probabilities(context.Background(), p, at, threads); err != nil {
		t.Fatal(err)
	}
	return p
}

// judge returns the share of correct classes and the mean log probability of the true class.
func judge(t testing.TB, c *Classifier, e Events) (right, logScore float64) {
	t.Helper()
	at := e.places()
	class, best := predict(t, c, at, 2)
	p := probabilities(t, c, at, 2)
	for i, k := range e.Class {
		sum := 0.0
		for _, v := range p.Row(i) {
			sum += v
		}
		if math.Abs(sum-1) > 1e-9 && len(c.Names) > 1 {
			t.Fatalf("probabilities %v", p.Row(i))
		}
		if best[i] != float32(slices.Max(p.Row(i))) || float32(p.Row(i)[class[i]]) != best[i] {
			t.Fatalf("class %d with %g of %v", class[i], best[i], p.Row(i))
		}
		if class[i] == k {
			right += 1 / float64(len(e.Class))
		}
		logScore += math.Log(p.Row(i)[k]) / float64(len(e.Class))
	}
	return right, logScore
}

func TestClasses(t *testing.T) {
	for _, classes := range []int{2, 3} {
		e, test := rings(600, classes, 1), rings(300, classes, 2)
		c, r := train(t, e, nil, Settings{Inducing: 40})
		if r.Used != 600 || r.Classes != classes || !r.Converged || r.Negative > 0 || r.Tried == 0 {
			t.Errorf("%+v", r)
		}
		right, log := judge(t, c, test)
		if right < .95 || log < -.2 {
			t.Errorf("%d classes: %.3f right, log score %.3f", classes, right, log)
		}
	}
}

// Points of wide scales are uncertain near a border where points of narrow scales are not.
func TestScalesMatter(t *testing.T) {
	c, _ := train(t, blurred(900, 2, 1.5, 1), nil, Settings{Inducing: 40})
	if !(c.Spread > 0) {
		t.Fatal("scales are left out")
	}
	certain, _ := train(t, blurred(900, 2, 1.5, 1), nil, Settings{Inducing: 40, Certain: true})
	_, with := judge(t, c, blurred(1000, 2, 1.5, 2))
	_, without := judge(t, certain, blurred(1000, 2, 1.5, 2))
	if with < without+.01 {
		t.Errorf("log score %.4f with scales, %.4f without", with, without)
	}
	p := probabilities(t, c, models.Placed{Mu: vec.Of(2, 2, []float32{2, 0, 2, 0}), Sigma: []float32{.1, 1.5}}, 1)
	if p.Row(0)[0] < p.Row(1)[0]+.05 {
		t.Errorf("probabilities %v of a narrow point, %v of a wide one", p.Row(0), p.Row(1))
	}
}

// Places whose errors are small compared with the length scales of the processes are used as exact:
// no variances are tried, and classes are those of certain places.
func TestSharpPlaces(t *testing.T) {
	e := blurred(400, 2, .6, 1)
	_, wide := train(t, e, nil, Settings{Inducing: 20})
	for i := range e.Sigma {
		e.Sigma[i] = .02
	}
	c, r := train(t, e, nil, Settings{Inducing: 20})
	certain, without := train(t, e, nil, Settings{Inducing: 20, Certain: true})
	if !(r.Blur > 0 && r.Blur < sharp) || r.Tried != without.Tried || wide.Blur < sharp || wide.Tried <= r.Tried {
		t.Errorf("%+v of sharp places, %+v of certain ones, %+v of wide ones", r, without, wide)
	}
	if !slices.Equal(probabilities(t, c, e.places(), 1).Data, probabilities(t, certain, e.places(), 1).Data) {
		t.Error("probabilities are others than without scales")
	}
}

// Scales that say nothing of classes are left out, and all is as without them.
func TestScalesDoNotMatter(t *testing.T) {
	e := blurred(900, 3, 0, 1)
	for i := range e.Sigma {
		e.Sigma[i] = 3 * float64(i%7)
	}
	c, r := train(t, e, nil, Settings{Inducing: 40})
	certain, without := train(t, e, nil, Settings{Inducing: 40, Certain: true})
	if c.Spread != 0 || r.Sweeps != without.Sweeps {
		t.Fatalf("factor %g, %+v and %+v", c.Spread, r, without)
	}
	for k, p := range c.local.parts {
		if a, b := p.joint, certain.local.parts[k].joint; !slices.Equal(a.Gamma.Data, b.Gamma.Data) || !slices.Equal(a.Spread.Data, b.Spread.Data) || a.Kernel.Variance != b.Kernel.Variance {
			t.Error("the classifier is another than without scales")
		}
	}
	if !slices.Equal(probabilities(t, c, e.places(), 1).Data, probabilities(t, certain, e.places(), 1).Data) {
		t.Error("probabilities are others than without scales")
	}
}

// A second training over mostly the same events starts from their sites.
func TestWarm(t *testing.T) {
	e := rings(800, 3, 1)
	e.Key = make([]uint64, 800)
	for i := range e.Key {
		e.Key[i] = uint64(1000 + i)
	}
	c, first := train(t, e, nil, Settings{Inducing: 40})
	later := Events{Mu: e.Mu.Slice(100, 800), Sigma: e.Sigma[100:], Class: e.Class[100:], Names: e.Names, Key: e.Key[100:]}
	_, r := train(t, later, c, Settings{Inducing: 40, Fixed: true})
	if r.Warm != 700 || r.Sweeps > first.Sweeps || r.Tried != 0 || !r.Converged {
		t.Errorf("%+v after %+v", r, first)
	}
}

// A kernel learnt from few events is learnt again when there are more.
func TestKernelOfFewEvents(t *testing.T) {
	few, many := rings(12, 2, 1), rings(600, 2, 2)
	c, _ := train(t, few, nil, Settings{Inducing: 30})
	c, r := train(t, many, c, Settings{Inducing: 30, Fixed: true})
	if r.Tried == 0 {
		t.Error("the kernel of 12 events stays for 600")
	}
	if right, _ := judge(t, c, rings(300, 2, 3)); right < .95 {
		t.Errorf("%.3f right", right)
	}
	if _, r = train(t, many, c, Settings{Inducing: 30, Fixed: true}); r.Tried != 0 || r.Sweeps > 2 || !r.Converged {
		t.Errorf("again: %+v", r)
	}
}

// The maximal number of classes is taken, and one more is refused, as with a column of ids.
func TestManyClasses(t *testing.T) {
	tier.Full(t, "it learns many maps")
	e := Events{Mu: vec.New[float64](3*mostClasses, 2), Sigma: make([]float64, 3*mostClasses), Class: make([]int32, 3*mostClasses)}
	for i := range e.Class {
		c := i % mostClasses
		e.Class[i] = int32(c)
		e.Mu.Row(i)[0], e.Mu.Row(i)[1] = float64(c%12)+.01*float64(i/mostClasses), float64(c/12)
		if i < mostClasses {
			e.Names = append(e.Names, string(rune(0x100+c)))
		}
	}
	c, r := train(t, e, nil, Settings{Sweeps: 3})
	if right, _ := judge(t, c, e); right < .9 || r.Classes != mostClasses {
		t.Errorf("%.2f right of %+v", right, r)
	}
	e.Names = append(e.Names, "one more")
	if _, _, err := Train(context.Background(), e, nil, Settings{}); !models.IsBadInput(err) || !strings.Contains(err.Error(), "at most 128") {
		t.Error(err)
	}
}

// More classes than the default are learnt where that is asked for, unless the labels are hardly
// classes.
func TestMoreClasses(t *testing.T) {
	const classes, each = 200, 3
	e := Events{Mu: vec.New[float64](each*classes, 2), Sigma: make([]float64, each*classes), Class: make([]int32, each*classes)}
	for i := range e.Class {
		c := i % classes
		e.Class[i] = int32(c)
		e.Mu.Row(i)[0], e.Mu.Row(i)[1] = float64(c%15)+.01*float64(i/classes), float64(c/15)
		if i < classes {
			e.Names = append(e.Names, string(rune(0x100+c)))
		}
	}
	set := Settings{Classes: 1024, Sweeps: 2, Inducing: 8}
	c, r := train(t, e, nil, set)
	if right, _ := judge(t, c, e); right < .9 || r.Classes != classes {
		t.Errorf("%.2f right of %+v", right, r)
	}
	few := e
	few.Class = slices.Clone(e.Class)
	for i := classes; i < len(few.Class); i++ {
		few.Class[i] = -1
	}
	if _, _, err := Train(context.Background(), few, nil, set); !models.IsBadInput(err) || !strings.Contains(err.Error(), "each needs two labels") {
		t.Error(err)
	}
}

// The same bits for any batch and any number of threads, and from a snapshot.
func TestPure(t *testing.T) {
	e := rings(400, 3, 1)
	c, _ := train(t, e, nil, Settings{Inducing: 30, Threads: 1})
	again, _ := train(t, e, nil, Settings{Inducing: 30, Threads: 3})
	parts, err := c.Parts()
	if err != nil {
		t.Fatal(err)
	}
	read, err := Open(&snapshot.Snapshot{Mu: e.Mu, Parts: parts})
	if err != nil {
		t.Fatal(err)
	}
	at := e.places()
	class, p := predict(t, c, at, 2)
	for _, other := range []*Classifier{c, again, read} {
		for _, size := range []int{1, 7, 400} {
			for from := 0; from < 400; from += size {
				to := min(from+size, 400)
				k, v := predict(t, other, slice(at, from, to), 1)
				if !slices.Equal(k, class[from:to]) || !slices.Equal(v, p[from:to]) {
					t.Fatalf("rows %d to %d differ", from, to)
				}
			}
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	e := rings(60, 3, 1)
	c, _ := train(t, e, nil, Settings{Inducing: 10})
	whole, err := c.Parts()
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		parts := slices.Clone(whole)
		parts[i].Rows++
		switch parts[i].Name {
		case partLocal:
			parts[i] = snapshot.Part{Name: parts[i].Name, Rows: 1, Cols: 1, Data: []byte("[")}
		case partClasses:
			parts[i].Rows, parts[i].Data = 60, slices.Repeat([]uint32{3}, 60)
		}
		if _, err := Open(&snapshot.Snapshot{Mu: e.Mu, Parts: parts}); err == nil {
			t.Errorf("part %s of another shape is taken", parts[i].Name)
		}
	}
	if got, err := Open(&snapshot.Snapshot{Mu: e.Mu}); got != nil || err != nil {
		t.Error(got, err)
	}
}

func TestOneClassAndNeverSeen(t *testing.T) {
	e := rings(100, 1, 1)
	c, _ := train(t, e, nil, Settings{Inducing: 20})
	class, p := predict(t, c, e.places(), 1)
	for i := range class {
		if class[i] != 0 || p[i] < .7 || p[i] > 1 {
			t.Fatalf("class %d, %g", class[i], p[i])
		}
	}
	// A class without events is the least likely.
	e = rings(200, 2, 1)
	e.Names = append(e.Names, "never")
	c, _ = train(t, e, nil, Settings{Inducing: 30})
	all := probabilities(t, c, e.places(), 1)
	for i := range 200 {
		if all.Row(i)[2] > .2 {
			t.Fatalf("%v", all.Row(i))
		}
	}
}

// All events are in one place, most without a label, and without scales.
func TestOnePlace(t *testing.T) {
	e := rings(50, 2, 1)
	clear(e.Mu.Data)
	clear(e.Sigma)
	for i := range e.Class {
		e.Class[i] = int32(i%4) - 2
	}
	c, r := train(t, e, nil, Settings{})
	if r.Labelled != 24 {
		t.Errorf("%+v", r)
	}
	p := probabilities(t, c, models.Placed{Mu: vec.New[float32](1, 2), Sigma: []float32{0}}, 1)
	if math.Abs(p.Data[0]-.5) > .05 {
		t.Errorf("%v where both are as frequent", p.Data)
	}
}

func TestRefuses(t *testing.T) {
	for what, change := range map[string]func(e *Events){
		"no label":       func(e *Events) { e.Class = []int32{-1, -1, -1} },
		"class of none":  func(e *Events) { e.Class[1] = 7 },
		"negative scale": func(e *Events) { e.Sigma[1] = -1 },
		"no number":      func(e *Events) { e.Mu.Row(2)[1] = math.NaN() },
		"missing scales": func(e *Events) { e.Sigma = e.Sigma[:1] },
	} {
		e := rings(3, 2, 1)
		change(&e)
		if _, _, err := Train(context.Background(), e, nil, Settings{}); err == nil || !models.IsBadInput(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	c, _ := train(t, rings(30, 2, 1), nil, Settings{Inducing: 5})
	if err := c.Predict(context.Background(), make([]int32, 1), make([]float32, 1), models.Placed{Mu: vec.New[float32](1, 3), Sigma: make([]float32, 1)}, 1); !models.IsBadInput(err) {
		t.Error(err)
	}
}

// Predictions of ten classes with a hundred inducing inputs.
func BenchmarkPredict(b *testing.B) {
	e := rings(2000, 10, 1)
	c, r := train(b, e, nil, Settings{})
	b.Logf("%+v", r)
	at := e.places()
	class, p := make([]int32, at.Mu.Rows), make([]float32, at.Mu.Rows)
	b.ResetTimer()
	for b.Loop() {
		if err := c.Predict(context.Background(), class, p, at, 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*at.Mu.Rows)/b.Elapsed().Seconds(), "predictions/s")
}

// Predictions by name are the class of the largest probability, with all probabilities if
// requested. The entropy is largest between the classes.
func TestPredictAll(t *testing.T) {
	e := rings(300, 3, 4)
	c, _ := train(t, e, nil, Settings{})
	at := e.places()
	p := probabilities(t, c, at, 2)
	did, err := c.PredictNames(context.Background(), at, nil, true, 2)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(did.Names, []string{"a", "b", "c"}) || did.All.Rows != 300 || did.All.Cols != 3 {
		t.Fatalf("%d x %d probabilities of %q", did.All.Rows, did.All.Cols, did.Names)
	}
	for i := range p.Rows {
		best, h := slices.Index(p.Row(i), slices.Max(p.Row(i))), 0.0
		for k, v := range p.Row(i) {
			if did.All.Row(i)[k] != float32(v) {
				t.Fatalf("place %d, class %d: %g, want %g", i, k, did.All.Row(i)[k], v)
			}
			h -= v * math.Log(v)
		}
		if did.Class[i] != c.Names[best] || did.Probability[i] != did.All.Row(i)[best] || math.Abs(float64(did.Entropy[i])-h) > 1e-6 {
			t.Fatalf("place %d: %q at %g, entropy %g, want %g of %g", i, did.Class[i], did.Probability[i], did.Entropy[i], h, p.Row(i))
		}
	}
	on := models.Placed{Mu: vec.Of(2, 2, []float32{2, 0, 3, 0}), Sigma: []float32{.2, .2}}
	if did, err = c.PredictNames(context.Background(), on, nil, false, 1); err != nil || did.All.Cols != 0 {
		t.Fatalf("%d probabilities that nobody asked for, %v", did.All.Cols, err)
	}
	if !(did.Entropy[1] > 2*did.Entropy[0]) {
		t.Errorf("entropies on a ring and between two: %g", did.Entropy)
	}
}

// The entropy of a single class expresses that there may be others.
func TestEntropy(t *testing.T) {
	for _, c := range []struct {
		p    []float64
		want float64
	}{{[]float64{1}, 0}, {[]float64{.5}, math.Ln2}, {[]float64{.5, .5}, math.Ln2}, {[]float64{0, 1}, 0}, {[]float64{.25, .25, .25, .25}, 2 * math.Ln2}} {
		if got := entropy(c.p); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("entropy of %g is %g, want %g", c.p, got, c.want)
		}
	}
}
