package labels

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/ep"
	"unfold/models/psi"
	"unfold/models/snapshot"
)

// Names of the parts of a snapshot.
const (
	partLocal     = "labels.local"     // JSON, a localText
	partCentres   = "labels.centres"   // of parts of the map, B x d
	partInducing  = "labels.inducing"  // inducing inputs of all parts, concatenated
	partMeans     = "labels.means"     // weights of the means: m x C per part
	partVariances = "labels.variances" // weights of the variances: C x m(m+1)/2 per part
	partPlaces    = "labels.places"    // places of the voting events, n x d
	partClasses   = "labels.classes"   // their classes
	partSeen      = "labels.seen"      // their projected vectors, n x q
	partPlanes    = "labels.planes"    // weights and a constant for each class, C x (q + 1)
)

// localText contains the fields of a classifier that are not arrays.
type localText struct {
	Names []string   `json:"names"`
	Scale scale      `json:"scale"`
	Prior []float64  `json:"prior"`
	Map   poll       `json:"map"`
	Input *poll      `json:"input,omitempty"`
	Blend blend      `json:"blend"`
	Sharp float64    `json:"sharp,omitempty"` // 0 without a linear model
	Usual float64    `json:"usual,omitempty"`
	Parts []partText `json:"parts"`
}

// partText is the JSON of a part of the map.
type partText struct {
	Classes  []int32   `json:"classes"`
	Events   int       `json:"events"`
	Share    []float64 `json:"share"`
	Inducing int       `json:"inducing,omitempty"` // 0 without a process
	Alpha    float64   `json:"alpha,omitempty"`
}

// Parts returns the classifier as parts of a snapshot.
func (c *Classifier) Parts() ([]snapshot.Part, error) {
	if c.whole != nil {
		return c.whole.parts(c.Names)
	}
	t := localText{Names: c.Names, Scale: c.local.scale, Prior: c.prior, Map: c.mapPoll, Blend: *c.blend, Usual: c.usual}
	if c.inInput != nil {
		t.Input = &c.inputPoll
	}
	if c.plane != nil {
		t.Sharp = c.plane.sharp
	}
	var inducing, means, variances []float64
	for _, p := range c.local.parts {
		one := partText{Classes: p.classes, Events: p.events, Share: p.share}
		if j := p.joint; j != nil {
			one.Inducing, one.Alpha = j.Z.Rows, j.Kernel.Alpha[0]
			inducing, means, variances = append(inducing, j.Z.Data...), append(means, j.Gamma.Data...), append(variances, j.Spread.Data...)
		}
		t.Parts = append(t.Parts, one)
	}
	text, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	class := make([]uint32, len(c.onMap.class))
	for i, k := range c.onMap.class {
		class[i] = uint32(k)
	}
	out := []snapshot.Part{
		{Name: partLocal, Rows: len(text), Cols: 1, Data: text},
		{Name: partCentres, Rows: c.local.centres.Rows, Cols: c.dims, Data: c.local.centres.Data},
		{Name: partPlaces, Rows: len(class), Cols: c.dims, Data: c.onMap.x.Data},
		{Name: partClasses, Rows: len(class), Cols: 1, Data: class},
	}
	if len(inducing) > 0 {
		out = append(out,
			snapshot.Part{Name: partInducing, Rows: len(inducing) / c.dims, Cols: c.dims, Data: inducing},
			snapshot.Part{Name: partMeans, Rows: len(means), Cols: 1, Data: means},
			snapshot.Part{Name: partVariances, Rows: len(variances), Cols: 1, Data: variances})
	}
	if l := c.plane; l != nil {
		planes := vec.New[float64](l.w.Rows, l.w.Cols+1)
		for k, b := range l.bias {
			copy(planes.Row(k), l.w.Row(k))
			planes.Row(k)[l.w.Cols] = b
		}
		out = append(out, snapshot.Part{Name: partPlanes, Rows: planes.Rows, Cols: planes.Cols, Data: planes.Data})
	}
	if c.inInput != nil {
		out = append(out, snapshot.Part{Name: partSeen, Rows: len(class), Cols: c.inInput.x.Cols, Data: c.inInput.x.Data})
	}
	return out, nil
}

// Open returns the classifier in a snapshot, nil if there is none. The error matches
// models.ErrBadInput.
func Open(s *snapshot.Snapshot) (c *Classifier, err error) {
	_, local := s.Part(partLocal)
	_, whole := s.Part(partNames)
	switch {
	case local:
		c, err = open(s)
	case whole:
		c, err = openWhole(s)
	}
	if err != nil {
		return nil, models.BadInputf("the classifier of labels: %w", err)
	}
	return c, nil
}

func open(s *snapshot.Snapshot) (*Classifier, error) {
	text, err := snapshot.PartOf[byte](s, partLocal, 0, 1)
	if err != nil {
		return nil, err
	}
	var t localText
	if err := json.Unmarshal(text, &t); err != nil {
		return nil, fmt.Errorf("part %q: %w", partLocal, err)
	}
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("part %q: %w", partLocal, err)
	}
	c := &Classifier{Names: t.Names, dims: s.Mu.Cols}
	c.prior, c.mapPoll, c.blend, c.usual, c.Spread = t.Prior, t.Map, &t.Blend, t.Usual, t.Scale.Spread
	if c.local, err = t.local(s, c.dims); err != nil {
		return nil, err
	}
	if err := c.openVoters(s, t.Input); err != nil || t.Sharp == 0 || c.inInput == nil {
		return c, err
	}
	c.plane, err = openPlanes(s, len(c.Names), c.inInput.x.Cols, t.Sharp)
	return c, err
}

// openVoters reads the voting events.
func (c *Classifier) openVoters(s *snapshot.Snapshot, input *poll) error {
	numbers, err := snapshot.PartOf[uint32](s, partClasses, 0, 1)
	if err != nil {
		return err
	}
	class := make([]int32, len(numbers))
	for i, v := range numbers {
		if int(v) >= len(c.Names) {
			return fmt.Errorf("event %d of part %q has class %d: there are %d", i, partClasses, v, len(c.Names))
		}
		class[i] = int32(v)
	}
	voters := func(name string, cols int) (*voters, error) {
		data, err := snapshot.PartOf[float32](s, name, len(class), cols)
		if err != nil {
			return nil, err
		}
		return newVoters(context.Background(), vec.Of(len(class), len(data)/len(class), data), class, 0)
	}
	if c.onMap, err = voters(partPlaces, c.dims); err != nil || input == nil {
		return err
	}
	c.inputPoll = *input
	c.inInput, err = voters(partSeen, s.Reference.Cols)
	return err
}

// openPlanes reads the linear model for the given number of classes.
func openPlanes(s *snapshot.Snapshot, classes, q int, sharp float64) (*linear, error) {
	data, err := snapshot.PartOf[float64](s, partPlanes, classes, q+1)
	if err != nil {
		return nil, err
	}
	planes := vec.Of(classes, q+1, data)
	l := &linear{w: vec.New[float64](classes, q), sharp: sharp}
	for k := range classes {
		copy(l.w.Row(k), planes.Row(k))
		l.bias = append(l.bias, planes.Row(k)[q])
	}
	return l, nil
}

// check validates the numbers.
func (t *localText) check() error {
	classes, kinds := len(t.Names), ofMapBroad+1
	if t.Input != nil {
		kinds = ofLinear + 1
	}
	if classes == 0 {
		return fmt.Errorf("it has no classes")
	}
	if len(t.Prior) != classes || len(t.Blend.Weights) != kinds {
		return fmt.Errorf("%d shares of %d classes and %d weights of %d opinions", len(t.Prior), classes, len(t.Blend.Weights), kinds)
	}
	for _, v := range t.Prior {
		if !(v > 0 && v <= 1) {
			return fmt.Errorf("a class has the share %g", v)
		}
	}
	for _, p := range []*poll{&t.Map, t.Input} {
		if p != nil && (p.K < 1 || !(p.Sharp >= 0) || !(p.Smooth > 0)) {
			return fmt.Errorf("votes are counted by %+v", *p)
		}
	}
	for _, w := range t.Blend.Weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return fmt.Errorf("an opinion has the weight %g", w)
		}
	}
	if b := t.Blend; b.Slopes != nil && (len(b.Slopes) != kinds || b.Scales == nil || !(b.Scales.Width > 0)) {
		return fmt.Errorf("the weights have %d slopes for %d opinions by %+v", len(b.Slopes), kinds, b.Scales)
	}
	if s := t.Scale; !(s.Variance > 0) || !(s.Spread >= 0) || !(t.Blend.Floor >= 0 && t.Blend.Floor <= 1) || !(t.Usual >= 0) || !(t.Sharp >= 0) || len(t.Parts) == 0 {
		return fmt.Errorf("%d parts of scale %+v, with the floor %g, usual to %g", len(t.Parts), s, t.Blend.Floor, t.Usual)
	}
	for a, p := range t.Parts {
		if len(p.Classes) == 0 || len(p.Share) != len(p.Classes) || p.Events < 1 || p.Inducing < 0 || p.Inducing > 0 && !(p.Alpha > 0) {
			return fmt.Errorf("part %d of the map has %d shares of %d classes, %d events, %d inducing inputs and alpha %g", a, len(p.Share), len(p.Classes), p.Events, p.Inducing, p.Alpha)
		}
		for _, c := range p.Classes {
			if c < 0 || int(c) >= classes {
				return fmt.Errorf("part %d of the map has class %d: there are %d", a, c, classes)
			}
		}
	}
	return nil
}

// functions returns the number of functions of a process: two classes share one.
func functions(classes int) int {
	if classes == 2 {
		return 1
	}
	return classes
}

// local reads the processes.
func (t *localText) local(s *snapshot.Snapshot, d int) (*local, error) {
	centres, err := snapshot.PartOf[float64](s, partCentres, len(t.Parts), d)
	if err != nil {
		return nil, err
	}
	l := &local{scale: t.Scale, centres: vec.Of(len(t.Parts), d, centres)}
	m, means, variances := 0, 0, 0
	for _, p := range t.Parts {
		f := functions(len(p.Classes))
		m, means, variances = m+p.Inducing, means+p.Inducing*f, variances+f*p.Inducing*(p.Inducing+1)/2
	}
	var z, gamma, spread []float64
	if m > 0 {
		if z, err = snapshot.PartOf[float64](s, partInducing, m, d); err != nil {
			return nil, err
		}
		if gamma, err = snapshot.PartOf[float64](s, partMeans, means, 1); err != nil {
			return nil, err
		}
		if spread, err = snapshot.PartOf[float64](s, partVariances, variances, 1); err != nil {
			return nil, err
		}
	}
	for _, p := range t.Parts {
		one := &part{classes: p.Classes, events: p.Events, share: p.Share}
		if m, f := p.Inducing, functions(len(p.Classes)); m > 0 {
			alpha := make([]float64, d)
			for q := range alpha {
				alpha[q] = p.Alpha
			}
			one.joint = &ep.Joint{Kernel: psi.Kernel{Variance: t.Scale.Variance, Alpha: alpha}, Z: vec.Of(m, d, z[:m*d]),
				Gamma: vec.Of(m, f, gamma[:m*f]), Spread: vec.Of(f, m*(m+1)/2, spread[:f*m*(m+1)/2])}
			one.joint.Prepare()
			z, gamma, spread = z[m*d:], gamma[m*f:], spread[f*m*(m+1)/2:]
		}
		l.parts = append(l.parts, one)
	}
	return l, nil
}
