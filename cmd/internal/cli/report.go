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

// report is the output of --report. Keys never change their meaning.
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
	// Bridges join the components in models that add such edges.
	Bridges       []models.Bridge `json:"bridges,omitempty"`
	Landmarks     int             `json:"landmarks"`
	Pairs         int64           `json:"pairs"`
	LoglikInitial float64         `json:"loglik_initial"`
	Loglik        float64         `json:"loglik"`
	// Search is the neighbour search that was used. SearchRecall is its recall on a sample: 1 for
	// an exact search, 0 without a sample.
	Search       auto.Method `json:"search"`
	SearchRecall float64     `json:"search_recall"`
	// SearchDistances is set if distances come from --neighbors-file, not from the vectors.
	SearchDistances bool          `json:"search_distances,omitempty"`
	Iterations      int           `json:"iterations"`
	Converged       bool          `json:"converged"` // before the last step, because the likelihood hardly changed
	CGIterations    int           `json:"cg_iterations"`
	Falls           int           `json:"likelihood_falls"`
	Seconds         reportSeconds `json:"seconds"`
	CPUSeconds      float64       `json:"cpu_seconds"`
	PeakRSSBytes    int64         `json:"peak_rss_bytes"`
	PredictedBytes  int64         `json:"predicted_bytes"`
	// MeasuredSeconds is the time of learning, placing and writing, which PredictedSeconds predicts. Both
	// exclude reading and the scores below.
	PredictedSeconds float64 `json:"predicted_seconds"`
	MeasuredSeconds  float64 `json:"measured_seconds"`
	mapScores
	rowsReport
	// Projection has the number of principal components chosen from the rows. It is nil if the
	// number was set.
	Projection *fit.Components `json:"projection,omitempty"`
	// Sparse describes the projection of sparse rows. Trustworthiness and continuity compare the
	// map with the projected rows.
	Sparse *fit.Truncated `json:"sparse,omitempty"`
	// Placed describes the rows that were placed because --memory has no room to learn them; nil if
	// there are none. N does not include them.
	Placed *placedReport `json:"placed,omitempty"`
	// Frame describes the file with the coordinates that rows were learnt near.
	Frame *frameReport `json:"frame,omitempty"`
	// Model has figures of one kind of model, such as the course of its bound.
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
	Index    float64 `json:"index"` // the index that will place new points
	Write    float64 `json:"write"`
	Place    float64 `json:"place,omitempty"` // of the rows that are not learnt
	Total    float64 `json:"total"`
}

// newReport returns the report of a fit without times and scores.
func newReport(p *program, dim int, m config.Model, r *fit.Result, predicted forecast) *report {
	f := r.Report
	return &report{
		Kind: r.Spec.Kind, Model: r.Own, Sparse: r.Truncated,
		N: f.N, Unique: f.Unique, Dim: dim, Dims: f.Dims, Level: f.Level, Neighbors: f.Neighbors, Edges: f.Edges, Components: f.Components, Bridges: f.Bridges,
		Landmarks: f.Landmarks, Search: f.Search.Method, SearchRecall: f.Search.Recall, SearchDistances: f.Search.Distances, Pairs: f.Pairs, LoglikInitial: f.LoglikInitial, Loglik: f.Loglik, Iterations: f.Iterations, Converged: f.Converged,
		CGIterations: f.CGIterations, Falls: f.Falls, Seed: m.Seed, Version: p.programVersion(), PredictedBytes: predicted.Bytes(), PredictedSeconds: predicted.seconds,
	}
}

func (r *report) times(c *clock, res *fit.Result, total time.Duration) {
	s := res.Report.Seconds
	r.Seconds = reportSeconds{
		Read: c.laps["read"].Seconds(), PCA: res.SecondsPCA, KNN: s.KNN, Graph: s.Graph, Coarse: s.Coarse,
		Spectral: s.Spectral, EM: s.EM, Index: res.SecondsIndex, Write: c.laps["write"].Seconds(), Place: c.laps["place"].Seconds(), Total: total.Seconds(),
	}
	r.MeasuredSeconds = (c.laps["fit"] + c.laps["write"] + c.laps["place"]).Seconds()
	r.CPUSeconds, r.PeakRSSBytes = usage()
}

func (r *report) write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// clock sums the durations of laps by name.
type clock struct {
	last time.Time
	laps map[string]time.Duration
}

func newClock() *clock { return &clock{time.Now(), map[string]time.Duration{}} }

// lap adds the time since the last lap to the lap name.
func (c *clock) lap(name string) {
	now := time.Now()
	c.laps[name] += now.Sub(c.last)
	c.last = now
}
