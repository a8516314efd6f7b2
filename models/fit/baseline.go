package fit

import (
	"context"
	"encoding/json"
	"fmt"

	"unfold/internal/setting"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/baseline"
	"unfold/models/lvm"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// textbook returns the registry entry of a method of package baseline.
func textbook(m baseline.Method, about string) Kind {
	k := Kind{
		Name: string(m), About: about,
		Check: func(s Spec) error { _, err := s.textbook().Resolved(m); return err },
		Learn: func(ctx context.Context, z vec.Matrix[float32], s Spec, progress models.Progress) (*Learnt, error) {
			return learnTextbook(ctx, m, z, s, progress)
		},
		Open: func(s *snapshot.Snapshot, o placing.Options) (models.Placer, error) {
			if o.Rule != placing.RuleAuto || o.Received != 0 || o.Neighbors != 0 {
				return nil, &models.SettingError{Name: "place", Problem: fmt.Sprintf("%v goes with maps of kind %s; this one is of kind %s, whose own way is auto", o.Rule, LVM, m)}
			}
			return baseline.NewPlacer(s, o)
		},
		Memory: func(s Spec, n, q int) int64 {
			f, err := s.textbook().Resolved(m)
			if err != nil {
				return 0
			}
			return f.Bytes(m, n, q)
		},
	}
	switch m {
	case baseline.PCA:
	case baseline.KernelPCA:
		k.Settings = func() Settings { return new(kernelSettings) }
	case baseline.GTM:
		k.Settings = func() Settings { return new(topographicSettings) }
		k.Describe = describeTopography
	case baseline.NonMetric:
		k.Settings, k.Describe = func() Settings { return new(textbookSettings) }, describeOrder
	default:
		k.Settings = func() Settings { return new(textbookSettings) }
	}
	return k
}

// describeTopography describes a map of kind gtm.
func describeTopography(s *snapshot.Snapshot) []Line {
	d := baseline.DescribeTopography(s)
	return []Line{
		{"mapping", fmt.Sprintf("%d latent points and %d basis functions along each axis", d.Grid, d.Basis)},
		{"noise", fmt.Sprintf("standard deviation %.4g of an element", d.Noise)},
		{"likelihood", fmt.Sprintf("%.8g", d.Loglik)},
	}
}

// describeOrder reports the stress of a map of kind nmds, which measures how well it preserves the
// order of distances.
func describeOrder(s *snapshot.Snapshot) []Line {
	return []Line{{"stress", fmt.Sprintf("%.4g (Kruskal's stress-1)", baseline.DescribeStress(s))}}
}

// textbookSettings are the settings of the methods that learn a sample.
type textbookSettings struct {
	Sampled sampled `key:""`
}

// textbookFile is the form of textbookSettings in a model file.
type textbookFile struct {
	Points int `json:"points"`
}

// MarshalJSON implements json.Marshaler.
func (f *textbookSettings) MarshalJSON() ([]byte, error) {
	return json.Marshal(textbookFile{int(f.Sampled.Points)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *textbookSettings) UnmarshalJSON(raw []byte) error {
	var file textbookFile
	err := json.Unmarshal(raw, &file)
	f.Sampled.Points = setting.Auto(file.Points)
	return err
}

// Apply implements Settings.
func (f *textbookSettings) Apply(_ Given, s *Spec) { s.Own = f }

// kernelSettings are the settings of kernel principal components.
type kernelSettings struct {
	Sampled sampled `key:""`
	Wide    wide    `key:""`
}

// kernelFile is the form of kernelSettings in a model file.
type kernelFile struct {
	Points int     `json:"points"`
	Width  float64 `json:"width"`
}

// MarshalJSON implements json.Marshaler.
func (f *kernelSettings) MarshalJSON() ([]byte, error) {
	return json.Marshal(kernelFile{int(f.Sampled.Points), float64(f.Wide.Width)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *kernelSettings) UnmarshalJSON(raw []byte) error {
	var file kernelFile
	err := json.Unmarshal(raw, &file)
	f.Sampled.Points, f.Wide.Width = setting.Auto(file.Points), setting.Number(file.Width)
	return err
}

// Apply implements Settings.
func (f *kernelSettings) Apply(_ Given, s *Spec) { s.Own = f }

// topographicSettings are the settings of the generative topographic mapping.
type topographicSettings struct {
	Wide  wide           `key:""`
	Grid  setting.Auto   `key:"grid" default:"auto" help:"latent points along each axis of the map; auto is 15 for 2 dimensions, and about 225 in all for others." placeholder:"N"`
	Basis setting.Auto   `key:"basis" default:"auto" help:"basis functions along each axis; auto is 4 for 2 dimensions, and about 16 in all for others." placeholder:"N"`
	Ridge setting.Number `key:"ridge" default:"auto" help:"precision of the prior that holds the mapping's weights near zero, of data of unit variance; auto is 0.1." placeholder:"X"`
}

// topographicFile is the form of topographicSettings in a model file.
type topographicFile struct {
	Width float64 `json:"width"`
	Grid  int     `json:"grid"`
	Basis int     `json:"basis"`
	Ridge float64 `json:"ridge"`
}

// MarshalJSON implements json.Marshaler.
func (f *topographicSettings) MarshalJSON() ([]byte, error) {
	return json.Marshal(topographicFile{float64(f.Wide.Width), int(f.Grid), int(f.Basis), float64(f.Ridge)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *topographicSettings) UnmarshalJSON(raw []byte) error {
	var file topographicFile
	err := json.Unmarshal(raw, &file)
	f.Grid, f.Basis, f.Ridge, f.Wide.Width = setting.Auto(file.Grid), setting.Auto(file.Basis), setting.Number(file.Ridge), setting.Number(file.Width)
	return err
}

// Apply implements Settings.
func (f *topographicSettings) Apply(_ Given, s *Spec) { s.Own = f }

// textbook converts the settings of a fit to those of package baseline.
func (s Spec) textbook() baseline.Settings {
	set := baseline.Settings{Common: s.Common, Search: s.seeded(), Lists: s.Lists}
	switch own := s.Own.(type) {
	case *textbookSettings:
		set.Points = int(own.Sampled.Points)
	case *kernelSettings:
		set.Points, set.Width = int(own.Sampled.Points), float64(own.Wide.Width)
	case *topographicSettings:
		set.Grid, set.Basis, set.Ridge, set.Width = int(own.Grid), int(own.Basis), float64(own.Ridge), float64(own.Wide.Width)
	}
	return set
}

// ownTextbook converts the settings of a method, with defaults filled in, to the settings of its
// kind.
func ownTextbook(m baseline.Method, f baseline.Settings) Settings {
	points, width := sampled{setting.Auto(f.Points)}, wide{setting.Number(f.Width)}
	switch m {
	case baseline.PCA:
		return nil
	case baseline.KernelPCA:
		return &kernelSettings{points, width}
	case baseline.GTM:
		return &topographicSettings{width, setting.Auto(f.Grid), setting.Auto(f.Basis), setting.Number(f.Ridge)}
	}
	return &textbookSettings{points}
}

func learnTextbook(ctx context.Context, m baseline.Method, z vec.Matrix[float32], s Spec, progress models.Progress) (*Learnt, error) {
	return learnSample(ctx, z, s, progress, models.CheckRows[float32], func(distinct vec.Matrix[float32], step func(done, total int)) (*sample, error) {
		step(0, 1)
		fit, err := fitTextbook(ctx, m, distinct, z, s.textbook())
		if err != nil {
			return nil, err
		}
		step(1, 1)
		// Settings that these kinds do not have keep their defaults.
		s.Common, s.LVM = fit.Settings.Common, lvm.Options{}
		if own := ownTextbook(m, fit.Settings); own != nil {
			s.Own = own
		}
		report := models.Report{
			Components: max(1, fit.Components), Iterations: fit.Iterations, Converged: fit.Converged, LoglikInitial: fit.LoglikInitial, Loglik: fit.Loglik,
		}
		return &sample{model: fit, rows: fit.Learnt, points: fit.Settings.Points, near: fit.Near, search: fit.Search, spec: s, report: report}, nil
	})
}

// fitTextbook fits the distinct rows of all rows. Equal rows count as many for principal components, whose definition is
// by the covariance of all.
func fitTextbook(ctx context.Context, m baseline.Method, distinct, all vec.Matrix[float32], s baseline.Settings) (*baseline.Fitted, error) {
	if m == baseline.PCA {
		return baseline.FitComponents(ctx, distinct, all, s)
	}
	return baseline.Fit(ctx, m, distinct, s)
}
