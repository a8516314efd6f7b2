package cli

import (
	"encoding/json"
	"io"
	"time"

	"unfold/cmd/internal/config"
	"unfold/models"
	"unfold/models/fit"
	"unfold/sparse/knn/auto"
)

// report is what --report writes. Keys never change meaning.
type report struct {
	Kind       string `json:"kind"`
	N          int    `json:"n"`
	Unique     int    `json:"unique"`
	Dim        int    `json:"dim"`
	Dims       int    `json:"dims"`
	Level      int    `json:"level"`
	Neighbors  int    `json:"neighbors"`
	Edges      int    `json:"edges"`
	Components int    `json:"components"`
	// Bridges join these where a model adds edges that do.
	Bridges       []models.Bridge `json:"bridges,omitempty"`
	Landmarks     int             `json:"landmarks"`
	Pairs         int64           `json:"pairs"`
	LoglikInitial float64         `json:"loglik_initial"`
	Loglik        float64         `json:"loglik"`
	// Search is how neighbours were found; SearchRecall that of a sample, 1 if it was
	// exact, 0 if none was taken.
	Search       auto.Method `json:"search"`
	SearchRecall float64     `json:"search_recall"`
	// SearchDistances says that distances are those of --neighbors-file, not of the vectors.
	SearchDistances bool          `json:"search_distances,omitempty"`
	Iterations      int           `json:"iterations"`
	Converged       bool          `json:"converged"` // before the last step, as the likelihood hardly moved
	CGIterations    int           `json:"cg_iterations"`
	Falls           int           `json:"likelihood_falls"`
	Seconds         reportSeconds `json:"seconds"`
	CPUSeconds      float64       `json:"cpu_seconds"`
	PeakRSSBytes    int64         `json:"peak_rss_bytes"`
	PredictedBytes  int64         `json:"predicted_bytes"`
	// MeasuredSeconds are those of learning and writing, which PredictedSeconds
	// predicts: without reading, and without the figures below.
	PredictedSeconds float64 `json:"predicted_seconds"`
	MeasuredSeconds  float64 `json:"measured_seconds"`
	mapScores
	rowsReport
	// Projection is the number of principal components that the rows chose; nil if it was given.
	Projection *fit.Components `json:"projection,omitempty"`
	// Sparse says what became of sparse rows, with which trustworthiness and continuity compare
	// the map in their components.
	Sparse *fit.Truncated `json:"sparse,omitempty"`
	// Frame is the file that gave rows the coordinates that they were learnt near.
	Frame *frameReport `json:"frame,omitempty"`
	// Model is what a kind of model has to report that others have not, such as the
	// course of its bound.
	Model   any    `json:"model,omitempty"`
	Seed    uint64 `json:"seed"`
	Version string `json:"version"`
}

type reportSeconds struct {
	Read     float64 `json:"read"`
	PCA      float64 `json:"pca"`
	KNN      float64 `json:"knn"`
	Graph    float64 `json:"graph"`
	Coarse   float64 `json:"coarse"`
	Spectral float64 `json:"spectral"`
	EM       float64 `json:"em"`
	Index    float64 `json:"index"` // that new points will be placed by
	Write    float64 `json:"write"`
	Total    float64 `json:"total"`
}

// newReport is what is known of the fit.
func newReport(p *program, dim int, m config.Model, r *fit.Result, predicted forecast) *report {
	f := r.Report
	return &report{
		Kind: r.Spec.Kind, Model: r.Own, Sparse: r.Truncated,
		N: f.N, Unique: f.Unique, Dim: dim, Dims: f.Dims, Level: f.Level, Neighbors: f.Neighbors, Edges: f.Edges, Components: f.Components, Bridges: f.Bridges,
		Landmarks: f.Landmarks, Search: f.Search.Method, SearchRecall: f.Search.Recall, SearchDistances: f.Search.Distances, Pairs: f.Pairs, LoglikInitial: f.LoglikInitial, Loglik: f.Loglik, Iterations: f.Iterations, Converged: f.Converged,
		CGIterations: f.CGIterations, Falls: f.Falls, Seed: m.Seed, Version: p.programVersion(), PredictedBytes: predicted.Bytes(), PredictedSeconds: predicted.seconds,
	}
}

// times fills in what the fit took.
func (r *report) times(c *clock, res *fit.Result, total time.Duration) {
	s := res.Report.Seconds
	r.Seconds = reportSeconds{
		Read: c.laps["read"].Seconds(), PCA: res.SecondsPCA, KNN: s.KNN, Graph: s.Graph, Coarse: s.Coarse,
		Spectral: s.Spectral, EM: s.EM, Index: res.SecondsIndex, Write: c.laps["write"].Seconds(), Total: total.Seconds(),
	}
	r.MeasuredSeconds = (c.laps["fit"] + c.laps["write"]).Seconds()
	r.CPUSeconds, r.PeakRSSBytes = usage()
}

func (r *report) write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// clock measures laps.
type clock struct {
	last time.Time
	laps map[string]time.Duration
}

func newClock() *clock { return &clock{time.Now(), map[string]time.Duration{}} }

// lap ends a lap.
func (c *clock) lap(name string) {
	now := time.Now()
	c.laps[name] += now.Sub(c.last)
	c.last = now
}
