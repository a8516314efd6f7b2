package labels

import (
	"encoding/json"
	"fmt"

	"unfold/internal/vec"
	"unfold/models/ep"
	"unfold/models/psi"
	"unfold/models/snapshot"
)

// Names of the parts of a snapshot.
const (
	partNames  = "labels.names"  // JSON, a list of texts
	partKernel = "labels.kernel" // variance, factor of the places' variances, alphas
	partZ      = "labels.z"      // inducing inputs
	partGamma  = "labels.gamma"  // weights of the means
	partSpread = "labels.spread" // those of the variances
)

// Parts returns the classifier as parts of a snapshot.
func (c *Classifier) Parts() ([]snapshot.Part, error) {
	names, err := json.Marshal(c.Names)
	if err != nil {
		return nil, err
	}
	j := c.joint
	kernel := append([]float64{j.Kernel.Variance, c.Spread}, j.Kernel.Alpha...)
	part := func(name string, m vec.Matrix[float64]) snapshot.Part {
		return snapshot.Part{Name: name, Rows: m.Rows, Cols: m.Cols, Data: m.Data}
	}
	return []snapshot.Part{
		{Name: partNames, Rows: len(names), Cols: 1, Data: names},
		part(partKernel, vec.Of(len(kernel), 1, kernel)), part(partZ, j.Z), part(partGamma, j.Gamma), part(partSpread, j.Spread),
	}, nil
}

// Open returns the classifier that a snapshot holds, nil if there is none.
func Open(s *snapshot.Snapshot) (*Classifier, error) {
	if _, ok := s.Part(partNames); !ok {
		return nil, nil
	}
	c, err := open(s)
	if err != nil {
		return nil, fmt.Errorf("the classifier of labels: %w", err)
	}
	return c, nil
}

func open(s *snapshot.Snapshot) (*Classifier, error) {
	text, err := snapshot.PartOf[byte](s, partNames, 0, 1)
	if err != nil {
		return nil, err
	}
	c := new(Classifier)
	if err := json.Unmarshal(text, &c.Names); err != nil {
		return nil, fmt.Errorf("its names: %w", err)
	}
	functions, d := len(c.Names), s.Mu.Cols
	if functions == 0 {
		return nil, fmt.Errorf("it has no class")
	}
	if functions == 2 {
		functions = 1
	}
	kernel, err := snapshot.PartOf[float64](s, partKernel, d+2, 1)
	if err != nil {
		return nil, err
	}
	for i, v := range kernel {
		if v < 0 || i == 0 && v == 0 {
			return nil, fmt.Errorf("number %d of its kernel is %g", i, v)
		}
	}
	z, err := snapshot.PartOf[float64](s, partZ, 0, d)
	if err != nil {
		return nil, err
	}
	m := len(z) / d
	gamma, err := snapshot.PartOf[float64](s, partGamma, m, functions)
	if err != nil {
		return nil, err
	}
	spread, err := snapshot.PartOf[float64](s, partSpread, functions, m*(m+1)/2)
	if err != nil {
		return nil, err
	}
	c.Spread = kernel[1]
	c.joint = &ep.Joint{Kernel: psi.Kernel{Variance: kernel[0], Alpha: kernel[2:]}, Z: vec.Of(m, d, z),
		Gamma: vec.Of(m, functions, gamma), Spread: vec.Of(functions, m*(m+1)/2, spread)}
	c.joint.Prepare()
	return c, nil
}
