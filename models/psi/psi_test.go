package psi

import (
	"encoding/json"
	"testing"

	"unfold/internal/testkit/fixtures"
	"unfold/internal/vec"
)

type fixture struct {
	Kind     string         `json:"kind"`
	Variance float64        `json:"variance"`
	Alpha    []float64      `json:"alpha"`
	Z        fixtures.Dense `json:"Z"`
	Mu       fixtures.Dense `json:"mu"`
	S        fixtures.Dense `json:"S"`
	Psi0     []float64      `json:"psi0"`
	Psi1     fixtures.Dense `json:"Psi1"`
	Psi2n    []fixtures.Dense
	Psi2     fixtures.Dense `json:"Psi2"`
	Lambda   []float64      `json:"Lambda"`
	KL       float64        `json:"KL"`
	Weights  struct {
		C0 []float64        `json:"c0"`
		C1 fixtures.Dense   `json:"c1"`
		C2 []fixtures.Dense `json:"c2"`
	} `json:"weights"`
	Sum      float64 `json:"weighted_sum"`
	Gradient struct {
		Z        fixtures.Dense `json:"d_Z"`
		Mu       fixtures.Dense `json:"d_mu"`
		S        fixtures.Dense `json:"d_S"`
		Variance float64        `json:"d_variance"`
		Alpha    []float64      `json:"d_alpha"`
	} `json:"gradient"`
}

// UnmarshalJSON decodes fixtures of kind psi only; other kinds have other fields.
func (f *fixture) UnmarshalJSON(raw []byte) error {
	var kind struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(raw, &kind); err != nil || kind.Kind != "psi" {
		return err
	}
	type plain fixture
	return json.Unmarshal(raw, (*plain)(f))
}

func TestFixtures(t *testing.T) {
	ran := 0
	fixtures.Each(t, "ep", func(t *testing.T, f *fixture) {
		if f.Kind == "psi" {
			ran++
			f.run(t)
		}
	})
	if ran == 0 {
		t.Error("there is no file of psi statistics")
	}
}

const (
	value = 1e-12
	slope = 1e-10
)

func (f *fixture) run(t *testing.T) {
	k, in, z := &Kernel{f.Variance, f.Alpha}, Inputs{f.Mu.Matrix, f.S.Matrix}, f.Z.Matrix
	n, m := f.Mu.Rows, z.Rows
	first := vec.New[float64](n, m)
	k.First(first, in, z, 2)
	fixtures.Close(t, "Psi1", first.Data, vec.Transpose(f.Psi1.Matrix).Data, value)
	second, one := vec.New[float64](m, m), make([]float64, n)
	sum, g := 0.0, NewGradient(n, m, len(f.Alpha))
	c1 := vec.Transpose(f.Weights.C1.Matrix)
	for i := range n {
		clear(one)
		one[i] = 1
		k.Second(second, one, in, z, 2)
		fixtures.Close(t, "Psi2n", second.Data, f.Psi2n[i].Data, value)
		c2 := f.Weights.C2[i].Clone() // any matrix: its symmetric part counts
		for a := range m {
			for b := range a {
				v := (c2.Row(a)[b] + c2.Row(b)[a]) / 2
				c2.Row(a)[b], c2.Row(b)[a] = v, v
			}
		}
		k.SecondGradient(g, one, c2, in, z, 2)
		traces := make([]float64, n)
		k.Traces(traces, c2, in, z, 2)
		sum += f.Weights.C0[i]*f.Variance + vec.Dot(c1.Row(i), first.Row(i)) + traces[i]
		g.Variance += f.Weights.C0[i]
	}
	f.each(t, k, in, z)
	k.FirstGradient(g, c1, in, z, 2)
	for i := range one {
		one[i] = 1
	}
	k.Second(second, one, in, z, 1)
	fixtures.Close(t, "Psi2", second.Data, f.Psi2.Data, value)
	fixtures.CloseTo(t, "weighted sum", sum, f.Sum, value)
	fixtures.Close(t, "gradient in Z", g.Z.Data, f.Gradient.Z.Data, slope)
	fixtures.Close(t, "gradient in mu", g.Mu.Data, f.Gradient.Mu.Data, slope)
	fixtures.Close(t, "gradient in S", g.S.Data, f.Gradient.S.Data, slope)
	fixtures.CloseTo(t, "gradient in the variance", g.Variance, f.Gradient.Variance, slope)
	fixtures.Close(t, "gradient in alpha", g.Alpha, f.Gradient.Alpha, slope)
}

// each compares the statistics and the gradients of all inputs at once with those of one at a time.
func (f *fixture) each(t *testing.T, k *Kernel, in Inputs, z vec.Matrix[float64]) {
	n, m := in.Mu.Rows, z.Rows
	all, w := vec.New[float64](n, m*(m+1)/2), vec.New[float64](n, m*(m+1)/2)
	k.Each(all, in, z, 2)
	want, got, one := NewGradient(n, m, len(k.Alpha)), NewGradient(n, m, len(k.Alpha)), make([]float64, n)
	for i := range n {
		clear(one)
		one[i] = 1
		symmetric, at := vec.New[float64](m, m), 0
		for a := range m {
			for b := range a + 1 {
				v := (f.Weights.C2[i].Row(a)[b] + f.Weights.C2[i].Row(b)[a]) / 2
				symmetric.Row(a)[b], symmetric.Row(b)[a], w.Row(i)[at] = v, v, v
				fixtures.CloseTo(t, "one Psi2n of all", all.Row(i)[at], f.Psi2n[i].Row(a)[b], value)
				at++
			}
		}
		k.SecondGradient(want, one, symmetric, in, z, 1)
	}
	k.EachGradient(got, w, in, z, 2)
	fixtures.Close(t, "gradient in Z by inputs", got.Z.Data, want.Z.Data, slope)
	fixtures.Close(t, "gradient in mu by inputs", got.Mu.Data, want.Mu.Data, slope)
	fixtures.Close(t, "gradient in S by inputs", got.S.Data, want.S.Data, slope)
	fixtures.CloseTo(t, "gradient in the variance by inputs", got.Variance, want.Variance, slope)
	fixtures.Close(t, "gradient in alpha by inputs", got.Alpha, want.Alpha, slope)
}
