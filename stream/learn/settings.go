package learn

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"unfold/ingest"
	"unfold/ingest/arrowfmt"
	"unfold/internal/atomicfile"
	"unfold/models"
	"unfold/models/budget"
	"unfold/models/clusters"
	"unfold/models/clusters/identity"
	"unfold/models/drift"
	"unfold/models/ep/labels"
	"unfold/models/fit"
	"unfold/models/live"
	"unfold/models/lvm"
	"unfold/models/placing"
	"unfold/models/snapshot"
	"unfold/sparse/knn/auto"
	"unfold/sparse/knn/hnsw"
	"unfold/stream"
	"unfold/stream/embed"
	"unfold/stream/format"
	"unfold/stream/reference"
)

// Never as Settings.RefreshEvery keeps the first map for ever.
const Never time.Duration = -1

// Major selects when a map is learnt as a whole instead of being updated.
type Major int

const (
	// MajorAuto leaves the choice to package live: when the map has grown by half (a small one by a
	// fifth), after novel events, and from time to time.
	MajorAuto Major = iota
	// MajorNever updates the map for ever.
	MajorNever
	// MajorAlways learns every map from scratch and aligns it with the previous one.
	MajorAlways
)

var majors = []string{MajorAuto: "auto", MajorNever: "never", MajorAlways: "always"}

// String returns the choice's name in configurations.
func (m Major) String() string {
	if m < 0 || int(m) >= len(majors) {
		return fmt.Sprintf("Major(%d)", int(m))
	}
	return majors[m]
}

// ParseMajor is the inverse of String; the empty name is the default.
func ParseMajor(name string) (Major, error) {
	for m, n := range majors {
		if name == n || name == "" {
			return Major(m), nil
		}
	}
	return 0, fmt.Errorf("unknown choice %q for major refreshes: want %s", name, strings.Join(majors, ", "))
}

// defaultMovesThreshold is the default distance, as a share of the map's diameter, beyond which a
// point's move is emitted.
const defaultMovesThreshold = 0.01

// Settings are the settings of a Learner. The zero value works for messages with one vector column.
type Settings struct {
	// Spec specifies the model.
	Spec fit.Spec
	// Place are the options of placing. Open, if not nil, opens snapshots for placing instead of
	// the kind's own function.
	Place placing.Options
	Open  func(s *snapshot.Snapshot) (models.Placer, error)
	// Mapping selects the columns that become vectors and those that pass through. Its ID, if any,
	// names the column by which events replace each other.
	Mapping ingest.Mapping
	// Classify turns on the prediction of classes for every event. They are learnt from events with
	// a label in the column Mapping.Label; see package models/ep/labels. Maps of vectors and labels
	// (Spec.PredictsClasses) predict them by themselves.
	Classify bool
	// Probabilities adds the probabilities of all classes to outputs, with Classify.
	Probabilities bool
	// Clusters are the settings of finding clusters on every map, with ids that are kept between
	// maps (package models/clusters/identity). With MinSize 0, the zero value, no clusters are
	// found.
	Clusters clusters.Settings
	// ClustersOfRows clusters the projected rows from which the map is learnt instead of its
	// places. A row counts as often as it has events (copiesOf). The clusters are updated as rows
	// are added and removed (identity.Tree).
	ClustersOfRows bool
	// Named makes the ids of reference points available in maps (embed.Map.PointIDs), if events
	// have ids.
	Named bool
	// LogLik adds a column of the events' log-likelihoods, which the kind has to have.
	LogLik bool
	// Explain selects the events that are explained.
	Explain embed.Explain
	// Watch, if not nil, receives events as they are placed.
	Watch embed.Watcher
	// Decoder decodes messages. nil stands for Arrow IPC streams, within Limits.
	Decoder *format.Decoder
	Limits  arrowfmt.Limits
	// Writer encodes outputs. nil means each in the format of its input.
	Writer *format.Encoder

	// Min is the number of events from which the first map is learnt. Earlier events wait. Default
	// 2000.
	Min int
	// Size bounds the reference set, in distinct points. Default 50000.
	Size int
	// Policy selects the points to keep, and MaxAge (0: none) bounds their age; see package
	// reference.
	Policy reference.Policy
	MaxAge time.Duration

	// RefreshEvery is the least time between the starts of two refreshes. Default 10s. With Never,
	// the first map stays.
	RefreshEvery time.Duration
	// RefreshNew is the share of added or removed points, relative to the reference set, that
	// triggers a refresh; at least one point. Fewer changes wait for at most patience times
	// RefreshEvery. Default 0.01.
	RefreshNew float64
	// Steps and Anchor are those of an ordinary refresh, and Gentle is the number of refreshes from
	// one gentle refresh to the next. 0 stands for the defaults of package live, a negative number
	// for none.
	Steps  int
	Anchor float64
	Gentle int
	// Major selects when the map is learnt as a whole. Frame selects the frame for that: that of
	// the previous map, or a new one each time, which begins an epoch.
	Major Major
	Frame live.MajorFrame
	// Seed is the seed of the reservoir's sample. The model has a seed of its own.
	Seed uint64
	// Drift are the settings of drift detection, which tests whether the newest events have the
	// distribution from which the map was learnt. With a Window of 0 it is off. Seed and Threads
	// are the learner's own. The reference set must be a sample of the events: any policy but
	// coverage.
	Drift drift.Settings

	// Moves, if not nil, receives reference points that have moved by more than MovesThreshold of
	// the map's diameter (default 0.01) since they were last emitted. When an epoch begins it
	// receives all points. It requires Mapping.ID. The caller closes it.
	Moves          stream.Sink
	MovesThreshold float64
	// MovesWriter encodes moves. Its format Same, and nil, mean the format of the last event.
	MovesWriter *format.Encoder

	// Groups, if not nil, receives the changes of clusters after every map, under their ids.
	// GroupsWriter encodes them like MovesWriter. The caller closes it.
	Groups       stream.Sink
	GroupsWriter *format.Encoder

	// State is the directory of the map and the reference set, from which a restart continues. If
	// it is empty nothing is saved, and versions begin at 1 after a restart.
	State string
	// Disk performs the file operations of State. Default atomicfile.OS with private files, because
	// they contain events.
	Disk atomicfile.Disk
	// Start is the map to begin with if State contains none. It must contain the encoder that made
	// its vectors.
	Start *snapshot.Snapshot

	// Of the Hooks, the learner calls Published, Encoded, RefreshFailed, Drifted, Moved and
	// Retrying.
	Hooks stream.Hooks
}

// patience is the number of RefreshEvery intervals that a few changes may wait.
const patience = 60

// withDefaults replaces zero fields by their defaults and validates the others.
func (s Settings) withDefaults() (Settings, error) {
	if s.Min == 0 {
		s.Min = 2000
	}
	if s.Size == 0 {
		s.Size = max(reference.DefaultSize, s.Min)
	}
	if s.RefreshEvery == 0 {
		s.RefreshEvery = 10 * time.Second
	}
	if s.RefreshNew == 0 {
		s.RefreshNew = 0.01
	}
	if s.MovesThreshold == 0 {
		s.MovesThreshold = defaultMovesThreshold
	}
	if s.Writer == nil {
		s.Writer = &format.Encoder{}
	}
	if s.MovesWriter == nil {
		s.MovesWriter = &format.Encoder{}
	}
	if s.GroupsWriter == nil {
		s.GroupsWriter = &format.Encoder{}
	}
	if s.Disk == nil {
		s.Disk = atomicfile.OS{Private: true}
	}
	// An empty list becomes nil, so that saved mappings compare equal.
	if len(s.Mapping.Columns) == 0 {
		s.Mapping.Columns = nil
	}
	if len(s.Mapping.Keep) == 0 {
		s.Mapping.Keep = nil
	}
	switch {
	case s.Min < 2:
		return s, fmt.Errorf("learn: a map of %d events: want at least 2", s.Min)
	case s.Size < s.Min:
		return s, fmt.Errorf("learn: the reference set holds %d events, fewer than the %d that the first map needs", s.Size, s.Min)
	case s.RefreshEvery < 0 && s.RefreshEvery != Never:
		return s, errors.New("learn: the time between refreshes is negative")
	case !(s.RefreshNew > 0 && s.RefreshNew <= 1):
		return s, fmt.Errorf("learn: a refresh at a share of %v new events: want a share in 0..1", s.RefreshNew)
	case s.Major < 0 || int(s.Major) >= len(majors):
		return s, fmt.Errorf("learn: unknown choice for major refreshes: %v", s.Major)
	case s.Frame != live.KeepFrame && s.Frame != live.NewFrame:
		return s, fmt.Errorf("learn: unknown choice for the frame of major refreshes: %v", s.Frame)
	case !(s.MovesThreshold > 0) || math.IsInf(s.MovesThreshold, 0):
		return s, fmt.Errorf("learn: moves beyond %v of the diameter: want a positive share", s.MovesThreshold)
	case s.Spec.PredictsClasses() && s.Mapping.Label == "":
		return s, errors.New("learn: maps of vectors and labels: name the column of labels")
	case s.Moves != nil && s.Mapping.ID == "":
		return s, errors.New("learn: moves are emitted under the events' ids: name the column that holds them")
	}
	if d := s.Mapping.Metric.Distance(); d != s.Spec.Distance {
		return s, fmt.Errorf("learn: the metric of the events has the distance %v, but the map has the distance %v", d, s.Spec.Distance)
	}
	if s.grouped() {
		if _, err := s.Clusters.Filled(); err != nil {
			return s, fmt.Errorf("learn: clusters: %w", err)
		}
	} else if s.Clusters != (clusters.Settings{}) {
		return s, errors.New("learn: clusters need a least number of points")
	}
	if s.ClustersOfRows && !s.grouped() {
		return s, errors.New("learn: clusters of rows need a least number of points")
	}
	if s.Groups != nil && !s.grouped() {
		return s, errors.New("learn: emitting clusters needs clustering to be on")
	}
	if err := s.reference(true).Check(); err != nil {
		return s, fmt.Errorf("learn: %w", err)
	}
	if err := s.checkDrift(); err != nil {
		return s, fmt.Errorf("learn: %w", err)
	}
	placing := s.Placing()
	if err := placing.Check(); err != nil {
		return s, fmt.Errorf("learn: %w", err)
	}
	return s, nil
}

// reference returns the settings of the reference set, for events with or without ids.
func (s Settings) reference(ids bool) reference.Settings {
	return reference.Settings{Policy: s.Policy, Size: s.Size, MaxAge: s.MaxAge, Seed: s.Seed, IDs: ids}
}

// live returns the settings of the live map without those of the model.
func (s Settings) live() live.Settings {
	out := live.Settings{Ordinary: live.Schedule{Steps: s.Steps, Anchor: s.Anchor}, GentleEvery: s.Gentle, Frame: s.Frame}
	if s.Major == MajorNever {
		out.Growth, out.AfterAlarm, out.Backstop = -1, []int{}, -1
	}
	return out
}

// carries reports whether maps are updated rather than learnt from scratch.
func (s Settings) carries() bool {
	k, err := s.Spec.Kinds.Find(s.Spec.Kind)
	return err == nil && k.Carried && s.Major != MajorAlways
}

// Bytes returns an upper bound of the learner's memory in bytes, for events of dim elements with
// ids of up to idBytes bytes (0: no ids), independent of their number. It includes:
//
//   - the reference set, and a copy of it while it is saved
//   - the graph of the live map (package graph/live: at most 1 kB per point besides its row), and
//     the landmarks with Gaussian tails
//   - the state of drift detection
//   - three snapshots with their indexes: the one in use, one being learnt and one being released
//   - a whole fit of a full set, as package budget estimates it
//
// It excludes messages in transit, which belong to the pipeline, including events before the first
// map. The garbage collector may need as much again: see GOGC and GOMEMLIMIT.
func (s Settings) Bytes(dim, idBytes int) (int64, error) {
	s, err := s.withDefaults()
	if err != nil {
		return 0, err
	}
	n := s.reference(false).Most()
	plan, err := budget.New(budget.Job{Rows: n, Dim: dim, Spec: s.Spec})
	if err != nil {
		return 0, err
	}
	dims := s.Spec.MapDims()
	graph := int64(n)*int64(1024+4*plan.Seen) + s.driftBytes(dim, plan.Seen)
	if s.Spec.LVM.Tails == lvm.Gaussian {
		graph += int64(n) * int64(landmarkBytes+5*plan.Seen) // rows with room to grow
	}
	snapshots := 3 * int64(n) * int64(4*plan.Seen+8*dims+snapshotBytes)
	if plan.Index == auto.HNSW {
		snapshots += indexCopies*hnsw.Bytes(n, plan.Seen, 0) + 3*equalsBytes*int64(n)
		snapshots += int64(n) * int64(8*plan.Seen+equalsBytes) // for the exact search of new points
	}
	pool := int64(0)
	if s.trains() {
		pool = 3 * labels.PoolBytes(dim, idBytes) // the pool, its form in a snapshot, and a working copy
	}
	if s.supervised() {
		pool += int64(n) * supervisedBytes
	}
	if s.grouped() {
		pool += identity.Bytes(n, dims, s.Clusters, identity.Settings{})
		if s.ClustersOfRows {
			pool += identity.TreeBytes(mostCopies*n, plan.Seen, s.Clusters)
		}
		pool += int64(n) * int64(4*dim+16) // rows to be described
	}
	return pool + 2*s.reference(idBytes > 0).Bytes(dim, s.notes(), idBytes) + graph + snapshots + plan.Bytes() + buffers, nil
}

// buffers is the memory of buffers for files, messages and searches, independent of the set's size.
const buffers = 8 << 20

// snapshotBytes is the memory per point of a snapshot without row and place: count, variance,
// bandwidth, standard error, four novelty tables, and its slot and its place at the begin of the
// epoch in the JSON of learning.
const snapshotBytes = 4 + 7*8 + 3*8*2 + 8

// landmarkBytes is the memory per point of the groups of landmarks without its row.
const landmarkBytes = 64

// supervisedBytes is the memory of a point's label: in the live map, in a refresh and in three
// snapshots.
const supervisedBytes = 2*16 + 2*4 + 3*4

// indexCopies is the largest number of copies of a map's index: in three snapshots, one being
// updated and one being written. equalsBytes is the memory per point of an index's table of equal
// rows.
const indexCopies, equalsBytes = 5, 16

// notes returns the number of values that the set stores per point for the learner: the last
// published place and the class.
func (s Settings) notes() int {
	n := 0
	if s.Moves != nil {
		n = s.Spec.MapDims()
	}
	if s.Mapping.Label != "" {
		n++
	}
	return n
}

// published returns the part of a note that contains the last published place.
func (s Settings) published(note []float32) []float32 {
	if s.Mapping.Label != "" {
		return note[:len(note)-1]
	}
	return note
}

// grouped reports whether clusters are found.
func (s Settings) grouped() bool { return s.Clusters.MinSize != 0 }

// Placing returns the settings of placing, for the learner and for an embedder that uses its maps.
func (s Settings) Placing() embed.Settings {
	out := embed.Settings{Place: s.Place, Open: s.Open, Kinds: s.Spec.Kinds, Mapping: s.Mapping, Classes: embed.ClassesNever, LogLik: s.LogLik, Probabilities: s.Probabilities, Explain: s.Explain, Writer: s.Writer, Watch: s.Watch}
	if s.Classify {
		out.Classes = embed.ClassesAlways
	}
	out.Clusters = embed.ClustersNever
	if s.grouped() {
		out.Clusters = embed.ClustersAlways
	}
	return out
}

// sized reports the size of maps.
func (s *Settings) sized(dim, points int) {
	if s.Hooks.Sized != nil {
		s.Hooks.Sized(dim, points)
	}
}

// failed reports an error that does not end learning.
func (s *Settings) failed(err error) {
	if s.Hooks.RefreshFailed != nil {
		s.Hooks.RefreshFailed(err)
	}
}
