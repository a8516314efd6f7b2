package labels

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd/spd"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/knn"
)

// The weights of a blend maximise its log score. The score falls in every allowed direction, and a
// prediction of pure noise gets almost no weight.
func TestBlend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, classes := rapid.IntRange(50, 200).Draw(t, "n"), rapid.IntRange(2, 5).Draw(t, "classes")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		o, class, prior := newOpinions(n, 3, classes), make([]int32, n), slices.Repeat([]float64{1 / float64(classes)}, classes)
		for i := range class {
			class[i] = int32(rnd.IntN(classes))
			for e := range 3 {
				sum := 0.0
				for c := range classes {
					v := rnd.ExpFloat64() + .01
					if int(class[i]) == c && e < 2 {
						v += float64(e + 1)
					}
					o.at(i, e)[c] = v
					sum += v
				}
				for c, v := range o.at(i, e) {
					o.at(i, e)[c] = math.Log(v / sum)
				}
			}
		}
		b := learnBlend(o, class, prior)
		most := b.scoreHeld(o, class, 3)
		for e, w := range b.Weights {
			if w < 0 {
				t.Fatalf("weights %v", b.Weights)
			}
			for _, step := range []float64{-1e-3, 1e-3} {
				if w+step < 0 {
					continue
				}
				other := &blend{Weights: slices.Clone(b.Weights)}
				other.Weights[e] += step
				if other.scoreHeld(o, class, 3) > most+1e-9 {
					t.Fatalf("weights %v have a score less than with %+g at %d", b.Weights, step, e)
				}
			}
		}
		p := make([]float64, classes)
		b.pool(p, o.of(0))
		sum := 0.0
		for _, v := range p {
			sum += v
		}
		if math.Abs(sum-1) > 1e-12 || !slices.Contains(floors, b.Floor) {
			t.Errorf("probabilities %v, floor %g", p, b.Floor)
		}
	})
}

// Votes are compared with counts by hand.
func TestPoll(t *testing.T) {
	n := near{&knn.Neighbors{N: 1, K: 3, Index: []int32{2, 0, 1}, Dist2: []float64{1, 3, 8}}, []int32{0, 1, 1}}
	prior := []float64{.5, .25, .25}
	for _, c := range []struct {
		name string
		p    poll
		want []float64
	}{
		{"one vote each", poll{K: 3, Smooth: 1}, []float64{1.5 / 4, 2.25 / 4, .25 / 4}},
		{"of two", poll{K: 2, Smooth: 2}, []float64{2. / 4, 1.5 / 4, .5 / 4}},
		{"sharply", poll{K: 3, Sharp: 2, Smooth: 1}, []float64{
			(.5 + math.Exp(-1)) / (2 + math.Exp(-1) + math.Exp(-3.5)), (1.25 + math.Exp(-3.5)) / (2 + math.Exp(-1) + math.Exp(-3.5)),
			.25 / (2 + math.Exp(-1) + math.Exp(-3.5))}},
	} {
		got := make([]float64, 3)
		c.p.count(got, n, 0, prior)
		for k, w := range c.want {
			if math.Abs(math.Exp(got[k])-w) > 1e-12 {
				t.Errorf("%s: class %d has %g, want %g", c.name, k, math.Exp(got[k]), w)
			}
		}
	}
}

// tangle returns events of classes in islands. Some islands overlap on the map and are apart in the
// space that the model sees.
func tangle(n, classes int, seed uint64) Events {
	rnd, islands := rand.New(rand.NewPCG(seed, 4)), rand.New(rand.NewPCG(7, 4))
	e := Events{Mu: vec.New[float64](n, 2), Sigma: make([]float64, n), Class: make([]int32, n), Seen: vec.New[float32](n, 5)}
	where := make([][7]float64, 5*classes)
	for i := range where {
		for q := range where[i] {
			where[i][q] = 3 * islands.NormFloat64()
		}
	}
	for c := range classes {
		e.Names = append(e.Names, string(rune('a'+c)))
	}
	for i := range n {
		k := rnd.IntN(len(where))
		e.Class[i], e.Sigma[i] = int32(k%classes), .1+.3*rnd.Float64()
		for q := range 2 {
			e.Mu.Row(i)[q] = where[k][q] + .4*rnd.NormFloat64()
		}
		for q := range 5 {
			e.Seen.Row(i)[q] = float32(where[k][2+q] + .9*rnd.NormFloat64())
		}
	}
	return e
}

// With many islands the classifier is as accurate as a vote of the neighbours on the map and among
// the rows, and its log score is better.
func TestManyIslands(t *testing.T) {
	e, test := tangle(1500, 6, 1), tangle(1000, 6, 2)
	c, r := train(t, e, nil, Settings{})
	if r.Parts < 8 {
		t.Errorf("%+v", r)
	}
	right, log := judge(t, c, test)
	for name, x := range map[string][2]vec.Matrix[float32]{
		"map": {vec.Convert[float32](e.Mu), vec.Convert[float32](test.Mu)}, "rows": {e.Seen, test.Seen},
	} {
		near, err := knn.NewExact(x[0]).Search(context.Background(), x[1], 9, knn.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		hits, theirs := 0.0, 0.0
		for i, k := range test.Class {
			votes := slices.Repeat([]float64{1. / 60}, 6)
			index, _ := near.Row(i)
			for _, j := range index {
				votes[e.Class[j]] += .1
			}
			if slices.Index(votes, slices.Max(votes)) == int(k) {
				hits += 1 / float64(len(test.Class))
			}
			theirs += math.Log(votes[k]) / float64(len(test.Class))
		}
		if right < hits-.003 || log < theirs {
			t.Errorf("%.3f right, log score %.3f; votes on the %s: %.3f, %.3f", right, log, name, hits, theirs)
		}
	}
}

// The cavity prediction of a site equals the prediction of a training without the event.
func TestLeftOut(t *testing.T) {
	e := rings(80, 2, 3)
	set := Settings{Certain: true}.withDefaults()
	rows, err := e.labelled()
	if err != nil {
		t.Fatal(err)
	}
	k := e.take(e.sample(rows, set))
	at, prior := scale{Length: .5, Variance: 4}, k.prior
	all, err := k.train(upTo(80), 80, 40, at, epSettings(set), nil, -1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range []int{0, 17, 63} {
		others := slices.Delete(upTo(80), out, out+1)
		without, err := k.train(others, 79, 40, at, epSettings(set), nil, -1, 1)
		if err != nil {
			t.Fatal(err)
		}
		got, want, work := make([]float64, 2), newOpinions(1, 1, 2), make([]float64, 2)
		all.others(got, work, prior, out)
		without.predict(want.at, k.inputs([]int{out}, 0), prior)
		if d := math.Abs(math.Exp(got[0]) - math.Exp(want.at(0, 0)[0])); d > .05 {
			t.Errorf("event %d: %.3f by its cavity, %.3f without it", out, math.Exp(got[0]), math.Exp(want.at(0, 0)[0]))
		}
	}
}

// An event does not vote for itself: one with a wrong label among others is predicted by its
// neighbours.
func TestNobodyVotesForItself(t *testing.T) {
	e := tangle(800, 3, 1)
	wrong := slices.Clone(e.Class)
	for i := range wrong {
		if i%10 == 0 {
			wrong[i] = (wrong[i] + 1) % 3
		}
	}
	truth := e.Class
	e.Class = wrong
	c, _ := train(t, e, nil, Settings{})
	keys := make([]uint64, len(wrong))
	for i := range keys {
		keys[i] = uint64(i)
	}
	right := func(key []uint64) (n int) {
		did, err := c.PredictNames(context.Background(), e.places(), key, false, 2)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(wrong); i += 10 {
			if did.Class[i] == e.Names[truth[i]] {
				n++
			}
		}
		return n
	}
	own, others := right(keys), right(nil)
	if own < 72 || own < others {
		t.Errorf("%d of 80 wrong labels are seen through, %d with their own votes", own, others)
	}
}

// The cross-validated prediction for an event equals that of planes learnt without it.
func TestPlanesLeaveOut(t *testing.T) {
	e := tangle(40, 3, 5)
	set := Settings{}.withDefaults()
	k := e.take(upTo(40))
	all := newRidge(k, 40, 1)
	_, out, ok := all.solve(.01)
	if !ok {
		t.Fatal("no factor")
	}
	for _, i := range []int{0, 11, 39} {
		// The scales of the columns and the penalty are those of all events.
		rest := newRidge(k, 40, 1)
		rest.x.Data = slices.Delete(slices.Clone(all.x.Data), i*rest.x.Cols, (i+1)*rest.x.Cols)
		rest.x.Rows--
		mean, gram := make([]float64, rest.x.Cols), vec.New[float64](rest.x.Cols, rest.x.Cols)
		share, cross := make([]float64, 3), vec.New[float64](rest.x.Cols, 3)
		class := slices.Delete(slices.Clone(k.class), i, i+1)
		for j, c := range class {
			vec.Axpy(1./39, rest.x.Row(j), mean)
			share[c] += 1. / 39
		}
		for j, c := range class {
			x := slices.Clone(rest.x.Row(j))
			vec.Axpy(-1, mean, x)
			for a, v := range x {
				vec.Axpy(v, x, gram.Row(a))
				for b := range 3 {
					cross.Row(a)[b] += v * (float64(b2i(int32(b) == c)) - share[b])
				}
			}
		}
		for a := range gram.Rows {
			gram.Row(a)[a] += .01 * 40
		}
		if err := spd.Factor(gram, 1); err != nil {
			t.Fatal(err)
		}
		spd.Solve(gram, cross, 1)
		x := slices.Clone(all.x.Row(i))
		vec.Axpy(-1, mean, x)
		for c := range 3 {
			want := share[c]
			for a, v := range x {
				want += v * cross.Row(a)[c]
			}
			if math.Abs(out.Row(i)[c]-want) > 1e-9 {
				t.Errorf("event %d, class %d: %.12g, without it %.12g", i, c, out.Row(i)[c], want)
			}
		}
	}
	held := newOpinions(40, ofLinear+1, 3)
	l := k.learnLinear(held, set.Threads)
	p, sum := make([]float64, 3), 0.0
	l.predict(p, k.seen.Row(3))
	for _, v := range p {
		sum += math.Exp(v)
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("probabilities %v", p)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// An event far from all known ones has the shares of the classes. One with missing values is
// predicted by its place.
func TestStranger(t *testing.T) {
	e := tangle(900, 3, 1)
	c, _ := train(t, e, nil, Settings{})
	at := slice(e.places(), 0, 3)
	at.Seen = at.Seen.Clone()
	for q := range at.Seen.Cols {
		at.Seen.Row(0)[q] += 1000
		at.Seen.Row(1)[q] = float32(math.NaN())
	}
	p := probabilities(t, c, at, 1)
	for k, v := range p.Row(0) {
		if math.Abs(v-c.prior[k]) > .001 {
			t.Errorf("class %d of a stranger has %g, its share is %g", k, v, c.prior[k])
		}
	}
	at.Seen = vec.Matrix[float32]{}
	places := probabilities(t, c, at, 1)
	if !slices.Equal(p.Row(1), places.Row(1)) {
		t.Errorf("%v with values missing, %v by the place alone", p.Row(1), places.Row(1))
	}
	at.Seen = vec.New[float32](3, 4)
	if err := c.Probabilities(context.Background(), p, at, 1); !models.IsBadInput(err) {
		t.Errorf("rows of another width: %v", err)
	}
	at.Seen = vec.New[float32](2, 5)
	if err := c.Probabilities(context.Background(), p, at, 1); !models.IsBadInput(err) {
		t.Errorf("fewer rows than places: %v", err)
	}
}
