package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/clusters/identity"
	"unfold/models/ep/labels"
	"unfold/models/fit"
	"unfold/models/placing"
	"unfold/models/projection"
	"unfold/models/reasons"
	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/format"
)

// Classes selects whether the classes of rows are predicted.
type Classes int

const (
	// ClassesOfMap predicts them if the map can.
	ClassesOfMap Classes = iota
	// ClassesNever leaves them out.
	ClassesNever
	// ClassesAlways writes them for every row: empty, with probability NaN, as long as the map
	// cannot predict any.
	ClassesAlways
)

// Clusters selects whether the clusters of rows are part of the output.
type Clusters int

const (
	// ClustersOfMap writes them if the map has any.
	ClustersOfMap Clusters = iota
	// ClustersNever leaves them out.
	ClustersNever
	// ClustersAlways writes them for every row: none, with probability and outlier score NaN, as
	// long as the map has no clusters.
	ClustersAlways
)

// Settings configure the placing of rows. The zero value works.
type Settings struct {
	// Place configures the placing of events. Open, if set, opens snapshots instead of Kinds.Open.
	Place placing.Options
	Kinds fit.Kinds
	Open  func(s *snapshot.Snapshot) (models.Placer, error)
	// Mapping selects the pass-through columns. If it names no column, the map's own selection is
	// used.
	Mapping ingest.Mapping
	// Encoder makes the vectors and selects the pass-through columns; nil means the map's own, with
	// the columns of Mapping.
	Encoder *ingest.Encoder
	// Files means that rows come from files, and that Map.For adapts the map to each: the map's
	// pass-through columns are passed as far as a file has them. A map without an encoder uses the
	// only vector column. Without Files such a map is an error, and all columns are required.
	Files bool
	// Missing allows missing values if the model supports them.
	Missing bool
	// Strict makes missing values errors that the map would replace by means.
	Strict bool
	// Vector is the column of vectors, if its name differs from the one the map was learnt with; ""
	// means that one.
	Vector  string
	Classes Classes
	// Probabilities adds those of all classes, and their entropy, where classes are predicted.
	Probabilities bool
	// Clusters are the clusters of the map (package identity).
	Clusters Clusters
	// LogLik adds a column of the rows' log-likelihoods. A model without one is a
	// *models.SettingError.
	LogLik bool
	// Explain selects the events that are explained.
	Explain Explain
	// Output is the output file, "" for messages. Its format may reserve names of columns.
	Output string
	// Writer encodes messages. Maps of one stream may share it. nil means its own writer, which
	// uses the format of each input.
	Writer *format.Encoder
	// Watch, if set, is called with the events of messages as they are placed.
	Watch Watcher
	// Known has vectors of events whose changes omit them; nil means none.
	Known Known
}

// Check returns an error for settings that no map can satisfy.
func (s *Settings) Check() error {
	if s.Classes == ClassesAlways {
		if s.Mapping.Label == "" {
			return errors.New("to predict classes, name the column that holds labels")
		}
		if err := s.checkClasses(append([]string{s.Mapping.Label}, s.Mapping.Keep...)); err != nil {
			return err
		}
	}
	kept := append([]string{s.Mapping.Label}, s.Mapping.Keep...)
	if s.Clusters == ClustersAlways {
		if err := emit.CheckClusters(kept); err != nil {
			return err
		}
	}
	return errors.Join(emit.CheckKept(s.Mapping.ID, kept), s.checkLogLik(kept), s.Explain.Check(kept))
}

// checkLogLik returns an error if a kept column has the name of the column of likelihoods.
func (s *Settings) checkLogLik(kept []string) error {
	if !s.LogLik {
		return nil
	}
	return emit.CheckLogLik(kept)
}

// checkClasses returns an error if a kept column has the name of one of the classes.
func (s *Settings) checkClasses(kept []string) error {
	if s.Probabilities {
		if err := emit.CheckClassShares(kept); err != nil {
			return err
		}
	}
	return emit.CheckClasses(kept)
}

// named reports whether the settings name columns.
func (s *Settings) named() bool {
	m := s.Mapping
	m.ReplaceText = false // which names none
	return !reflect.DeepEqual(m, ingest.Mapping{})
}

// Map places rows on one snapshot. It is immutable and safe for concurrent use.
type Map struct {
	set     Settings
	of      *snapshot.Snapshot
	encoder *ingest.Encoder // nil: the only vector column
	placer  models.Placer
	lenient models.Lenient     // nil: missing values are errors
	likely  models.Likely      // nil: no likelihoods are asked for
	classes *labels.Classifier // nil: none are predicted
	groups  *identity.Groups   // nil: the map has no clusters
	// project returns the projection to the model's input, for clusters in that space.
	project func() *projection.Projection
	ids     []string // of the reference points; nil: not known
	// explainer is made when an event is explained for the first time.
	explainer func() *reasons.Explainer
}

// Open opens a snapshot for placing. Errors caused by the snapshot match models.ErrBadInput;
// settings that the model rejects return a *models.SettingError.
func Open(s *snapshot.Snapshot, settings Settings) (*Map, error) {
	m := &Map{set: settings, of: s, ids: s.IDs}
	if len(m.set.Mapping.Columns) == 0 {
		m.set.Mapping.Columns = nil // an empty list names none
	}
	if len(m.set.Mapping.Keep) == 0 {
		m.set.Mapping.Keep = nil
	}
	if m.set.Writer == nil {
		m.set.Writer = &format.Encoder{}
	}
	var err error
	if m.encoder, err = m.set.encoder(s); err != nil {
		return nil, err
	}
	if m.set.Classes != ClassesNever {
		if m.classes, err = labels.Open(s); err != nil {
			return nil, err
		}
	}
	if m.set.Clusters != ClustersNever {
		if m.groups, err = identity.Open(s, m.set.Place.Threads); err != nil {
			return nil, err
		}
	}
	if m.placer, err = m.set.open(s); err != nil {
		return nil, err
	}
	if m.set.LogLik {
		var ok bool
		if m.likely, ok = m.placer.(models.Likely); !ok {
			return nil, &models.SettingError{Name: "loglik", Problem: fmt.Sprintf("models of kind %s have no likelihood of new rows; models of kind lvm and gplvm have", s.Kind)}
		}
	}
	m.project = sync.OnceValue(func() *projection.Projection { return projection.Of(s) })
	m.explainer = sync.OnceValue(func() *reasons.Explainer { return reasons.New(s, settings.Place.Threads) })
	if m.classes != nil || m.groups != nil || m.likely != nil { // Placing itself was tried when it was opened.
		err := placing.Probe(s, func(x vec.Matrix[float32]) error { _, err := m.Vectors(context.Background(), x); return err })
		if err != nil {
			return nil, err
		}
	}
	if m.set.Missing {
		m.lenient, _ = m.placer.(models.Lenient)
	}
	if m.encoder != nil {
		if err := m.read(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// read configures the encoder by the settings.
func (m *Map) read() (err error) {
	if m.set.Strict {
		m.encoder = m.encoder.Strict()
	} else {
		m.encoder = m.encoder.Lenient(m.lenient != nil && !m.encoder.Fills())
	}
	if m.set.Vector == "" {
		return nil
	}
	if m.encoder, err = m.encoder.Reading(m.set.Vector); err != nil {
		return &models.SettingError{Name: "vector", Problem: err.Error()}
	}
	return nil
}

func (s *Settings) open(m *snapshot.Snapshot) (models.Placer, error) {
	if s.Open != nil {
		return s.Open(m)
	}
	return s.Kinds.Open(m, s.Place)
}

// Encoder returns the encoder of a snapshot's records, nil if it has none.
func Encoder(s *snapshot.Snapshot) (*ingest.Encoder, error) {
	if len(s.Encoder) == 0 {
		return nil, nil
	}
	e := new(ingest.Encoder)
	if err := json.Unmarshal(s.Encoder, e); err != nil {
		return nil, models.BadInputf("%w", err)
	}
	if err := s.CheckDim(e.Dim()); err != nil {
		return nil, err
	}
	return e, nil
}

// encoder returns the encoder of a map's records. The settings' columns pass through, otherwise
// those that the map was learnt with.
func (s *Settings) encoder(m *snapshot.Snapshot) (*ingest.Encoder, error) {
	if s.Encoder != nil {
		return s.Encoder, m.CheckDim(s.Encoder.Dim())
	}
	e, err := Encoder(m)
	switch {
	case err != nil:
		return nil, err
	case e == nil && s.Files:
		return nil, nil
	case e == nil:
		return nil, models.BadInputf("the map does not say how events become vectors")
	case s.named():
		return e.With(s.Mapping.Selection), nil
	}
	own := e.Selection()
	own.ReplaceText = s.Mapping.ReplaceText
	if s.Files {
		return e.With(own), nil // For keeps those that a file has
	}
	return e.With(own), errors.Join(emit.CheckKept(own.ID, own.Keep), s.checkLogLik(own.Passing()), s.Explain.Check(own.Passing()))
}

// columnless adds to the error of a source without a single vector column that a model without
// columns, as the library writes it, needs one.
func (m *Map) columnless(err error) error {
	var e *table.Error
	if errors.As(err, &e) {
		e.Problem = fmt.Sprintf("%s, and the model has no columns: it was learnt from vectors of %d values", e.Problem, m.placer.Dim())
		e.Hint = "give one column of vectors (a list of numbers, .npy), or learn a model of these columns: unfold fit"
	}
	return err
}

// For returns the map for a source with that schema and name, with the map's pass-through columns
// that the source has. It returns an error that names the source if its rows cannot be placed, or
// its columns not kept.
func (m *Map) For(s table.Schema, name string) (*Map, error) {
	out := *m
	if out.encoder == nil {
		f, err := ingest.NewFitter(ingest.Mapping{Vector: m.set.Vector, AsIs: true}, s)
		if err != nil {
			return nil, table.InFile(name, m.columnless(err))
		}
		f.Expect(m.of.Dim)
		if out.encoder, err = f.Encoder(); err != nil {
			return nil, table.InFile(name, err)
		}
		out.encoder = out.encoder.Shifted(m.of.Shift)
	}
	pick := m.set.Mapping.Selection
	if !m.set.named() {
		pick = present(out.encoder.Selection(), s)
		pick.ReplaceText = m.set.Mapping.ReplaceText
	}
	kept := append([]string{pick.Label}, pick.Keep...)
	if err := errors.Join(emit.CheckKept(pick.ID, kept), emit.CheckText(m.set.Output, kept), m.set.checkLogLik(kept), m.set.Explain.Check(kept)); err != nil {
		return nil, table.InFile(name, err)
	}
	if m.predicts() {
		if err := m.set.checkClasses(kept); err != nil {
			return nil, table.InFile(name, err)
		}
	}
	if m.groupsOut() {
		if err := emit.CheckClusters(kept); err != nil {
			return nil, table.InFile(name, err)
		}
	}
	out.encoder = out.encoder.With(pick)
	if err := out.read(); err != nil {
		return nil, err
	}
	return &out, out.encoder.Check(s, name)
}

// present removes columns that a source does not have.
func present(pick ingest.Selection, s table.Schema) ingest.Selection {
	has := func(name string) bool { _, ok := s.Find(name); return ok }
	var out ingest.Selection
	if has(pick.ID) {
		out.ID = pick.ID
	}
	if has(pick.Label) {
		out.Label = pick.Label
	}
	for _, k := range pick.Keep {
		if has(k) {
			out.Keep = append(out.Keep, k)
		}
	}
	return out
}

// predicts reports whether classes are part of the output.
func (m *Map) predicts() bool { return m.classes != nil || m.set.Classes == ClassesAlways }

// groupsOut reports whether clusters are part of the output.
func (m *Map) groupsOut() bool { return m.groups != nil || m.set.Clusters == ClustersAlways }

// Encoder returns the encoder of records; nil for a map that uses the only vector column of each
// source, until For has found it.
func (m *Map) Encoder() *ingest.Encoder { return m.encoder }

// Placer returns the placer of vectors, which must have no missing values.
func (m *Map) Placer() models.Placer { return m.placer }

// Classes returns the classifier, nil if there is none.
func (m *Map) Classes() *labels.Classifier { return m.classes }

// WithClasses returns the same map with another classifier.
func (m *Map) WithClasses(c *labels.Classifier) *Map {
	out := *m
	out.classes = c
	return &out
}

// Clusters returns the clusters of the map, nil if it has none.
func (m *Map) Clusters() *identity.Groups { return m.groups }

// WithClusters returns the same map with other clusters.
func (m *Map) WithClusters(g *identity.Groups) *Map {
	out := *m
	out.groups = g
	return &out
}

// Published returns the data that a pipeline needs to place events on the map of a snapshot.
func (m *Map) Published(s *snapshot.Snapshot, f stream.Stats) stream.Published {
	return stream.Published{Map: m, MapID: s.MapID, Version: s.Version, Epoch: s.Epoch, Points: s.Reference.Rows, At: time.Now(), Stats: f}
}

// Learning is the JSON in Snapshot.Learning of every map from a stream, which describes how it was
// learnt.
type Learning struct {
	Stats stream.Stats `json:"figures"`
}

// StatsOf returns the statistics of a map from a stream.
func StatsOf(s *snapshot.Snapshot) (f stream.Stats, known bool) {
	var v Learning
	if len(s.Learning) == 0 || json.Unmarshal(s.Learning, &v) != nil {
		return f, false
	}
	return v.Stats, v.Stats.Kind != ""
}
