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

// Never is the Settings.RefreshEvery that keeps the first map for ever.
const Never time.Duration = -1

// Major says when a map is learnt as a whole instead of being carried on.
type Major int

const (
	// MajorAuto leaves it to package live: when the map has grown by half, a young one by a fifth, when
	// novel events came, and now and then.
	MajorAuto Major = iota
	// MajorNever carries the map on for ever.
	MajorNever
	// MajorAlways learns every map from nothing, and lays it on the one before.
	MajorAlways
)

var majors = []string{MajorAuto: "auto", MajorNever: "never", MajorAlways: "always"}

// String is the choice's name in configurations.
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

// defaultMovesThreshold is how far a point moves, as a share of the map's diameter,
// before that is emitted downstream.
const defaultMovesThreshold = 0.01

// Settings of a Learner. The zero value works, for messages with one vector
// column.
type Settings struct {
	// Spec is the model.
	Spec fit.Spec
	// Place says how events are placed. Open, if set, opens snapshots for placing in
	// place of the kind's own.
	Place placing.Options
	Open  func(s *snapshot.Snapshot) (models.Placer, error)
	// Mapping says which columns become vectors, and which pass through. Its ID, if
	// there is one, names the column by which events replace each other.
	Mapping ingest.Mapping
	// Classify predicts the class of every event, learnt from those whose column
	// Mapping.Label has one; see package models/ep/labels.
	Classify bool
	// Probabilities adds the probabilities of all classes to what is placed, with Classify.
	Probabilities bool
	// Clusters says what clusters are found on the places of every map, and keep their ids
	// (package models/clusters/identity); of MinSize 0, the zero value, none are.
	Clusters clusters.Settings
	// ClustersOfRows finds them among the rows that the map is learnt from, instead, as the
	// model sees them, a row that stands for several events as often (copiesOf). They are kept
	// as rows come and go (identity.Tree).
	ClustersOfRows bool
	// Named lets maps know the ids of their reference points (embed.Map.PointIDs), if
	// events have ids.
	Named bool
	// LogLik adds a column of the events' log-likelihoods, which the kind has to have.
	LogLik bool
	// Explain says which events are explained.
	Explain embed.Explain
	// Watch, if set, sees events as they are placed.
	Watch embed.Watcher
	// Decoder reads messages; nil: Arrow IPC streams, within Limits.
	Decoder *format.Decoder
	Limits  arrowfmt.Limits
	// Writer writes outputs; nil: each in the format of its input.
	Writer *format.Encoder

	// Min is how many events the first map is learnt from; they wait until
	// there are so many. Default 2000.
	Min int
	// Size bounds the reference set, in distinct points. Default 50000.
	Size int
	// Policy chooses which points stay, MaxAge (0: none) how old they may get; see
	// package reference.
	Policy reference.Policy
	MaxAge time.Duration

	// RefreshEvery is the least time between the beginnings of two refreshes.
	// Default 10s. Never: the first map stays.
	RefreshEvery time.Duration
	// RefreshNew is the share of points that came or went, of the reference set as it
	// is, that is worth a refresh; at least one. Less waits, but no longer than
	// patience times RefreshEvery. Default 0.01.
	RefreshNew float64
	// Steps of learning and Anchor of an ordinary refresh, and how many refreshes
	// make a gentle one due; 0 stands for the defaults of package live, negative
	// numbers for none.
	Steps  int
	Anchor float64
	Gentle int
	// Major says when the map is learnt as a whole, and Frame in which coordinate frame
	// then: that of the map before, or a new one each time, which begins an epoch.
	Major Major
	Frame live.Frame
	// Seed chooses the reservoir's sample. The model has a seed of its own.
	Seed uint64
	// Drift watches the newest events: are they of the distribution that the map was learnt
	// from? A Window of 0 is for nobody watching. Seed and Threads are the learner's own.
	// It needs a reference set that is a sample of the events: any policy but coverage.
	Drift drift.Settings

	// Moves, if there is one, gets reference points that have moved since they were
	// emitted last, by more than MovesThreshold of the map's diameter (default 0.01). When
	// an epoch begins it gets all points. It needs Mapping.ID. The caller closes it.
	Moves          stream.Sink
	MovesThreshold float64
	// MovesWriter writes them, Same being the format of the last event; nil: in that.
	MovesWriter *format.Encoder

	// Groups, if there is one, gets the clusters: what is new of them after every map, under
	// their ids. GroupsWriter writes them, as MovesWriter does. The caller closes it.
	Groups       stream.Sink
	GroupsWriter *format.Encoder

	// State is a directory for the map and the reference set, from which a
	// restart goes on. Empty: nothing is kept; then versions begin at 1 again
	// after a restart.
	State string
	// Disk is where State lies. Default atomicfile.OS with private files: they hold
	// events.
	Disk atomicfile.Disk
	// Start is a map to begin with, if State holds none. It must carry the
	// encoder that its vectors were made by.
	Start *snapshot.Snapshot

	// Hooks.Published, Encoded, RefreshFailed, Drifted, Moved and Retrying are called.
	Hooks stream.Hooks
}

// patience is for how many RefreshEvery a few changes may wait.
const patience = 60

// withDefaults fills zero fields and checks the others.
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
	// An empty list is none, so that what is saved compares equal.
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
	case s.Moves != nil && s.Mapping.ID == "":
		return s, errors.New("learn: moves are emitted under the events' ids: name the column that holds them")
	}
	if d := s.Mapping.Metric.Distance(); d != s.Spec.Distance {
		return s, fmt.Errorf("learn: events have the distance %v by their metric, and the map the distance %v", d, s.Spec.Distance)
	}
	if s.grouped() {
		if _, err := s.Clusters.Filled(); err != nil {
			return s, fmt.Errorf("learn: clusters: %w", err)
		}
	} else if s.Clusters != (clusters.Settings{}) {
		return s, errors.New("learn: clusters of which it is not said how many points they have at least")
	}
	if s.ClustersOfRows && !s.grouped() {
		return s, errors.New("learn: clusters of rows of which it is not said how many points they have at least")
	}
	if s.Groups != nil && !s.grouped() {
		return s, errors.New("learn: clusters are to be emitted, and none are sought")
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

// reference are the settings of the reference set, of events with or without ids.
func (s Settings) reference(ids bool) reference.Settings {
	return reference.Settings{Policy: s.Policy, Size: s.Size, MaxAge: s.MaxAge, Seed: s.Seed, IDs: ids}
}

// live are the settings of the map that follows, beside those of the model.
func (s Settings) live() live.Settings {
	out := live.Settings{Ordinary: live.Schedule{Steps: s.Steps, Anchor: s.Anchor}, GentleEvery: s.Gentle, Frame: s.Frame}
	if s.Major == MajorNever {
		out.Growth, out.AfterAlarm, out.Backstop = -1, []int{}, -1
	}
	return out
}

// carries reports whether maps are carried on rather than learnt from nothing.
func (s Settings) carries() bool {
	k, err := s.Spec.Kinds.Find(s.Spec.Kind)
	return err == nil && k.Carried && s.Major != MajorAlways
}

// Bytes bounds the memory that a learner holds of events of dim elements with ids of up to
// idBytes bytes (0: none), however many come. It holds the reference set, and a copy of it
// while that is saved. It holds the graph of the map that follows (package graph/live: at
// most 1 kB a point beyond its row), with Gaussian tails also the landmarks, and what
// watches for drift. There are
// three snapshots with their indexes: one that events are placed on, one that is learnt
// and one that is released. A whole fit of a full set takes what package budget predicts.
// Messages on their way are the pipeline's; the events before the first map lie in the
// messages. The garbage collector may let as much again lie around: see GOGC and
// GOMEMLIMIT.
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
		snapshots += int64(n) * int64(8*plan.Seen+equalsBytes) // an exact search, for new points
	}
	pool := int64(0)
	if s.Classify {
		pool = 3 * labels.PoolBytes(dim, idBytes) // it, what a snapshot holds of it, and a copy at work
	}
	if s.supervised() {
		pool += int64(n) * supervisedBytes
	}
	if s.grouped() {
		pool += identity.Bytes(n, dims, s.Clusters, identity.Settings{})
		if s.ClustersOfRows {
			pool += identity.TreeBytes(mostCopies*n, plan.Seen, s.Clusters)
		}
		pool += int64(n) * int64(4*dim+16) // rows, to be described
	}
	return pool + 2*s.reference(idBytes > 0).Bytes(dim, s.notes(), idBytes) + graph + snapshots + plan.Bytes() + buffers, nil
}

// buffers are what is there however small the set is: of files, of messages, of
// searches.
const buffers = 8 << 20

// snapshotBytes are those of a point in a snapshot beside its row and its place: count,
// variance, bandwidth, standard error, four novelty tables, and its part of the JSON of
// learning: where it was when the epoch began, and its slot.
const snapshotBytes = 4 + 7*8 + 3*8*2 + 8

// landmarkBytes are those of a point in the groups of landmarks beside its row.
const landmarkBytes = 64

// supervisedBytes are those of a point's label: in the map that follows, in a refresh and in three snapshots.
const supervisedBytes = 2*16 + 2*4 + 3*4

// indexCopies of a map's index are there at most: of three snapshots, one that is being
// changed, and one that is being written. equalsBytes are those of a point in the table
// of equal rows that goes with one.
const indexCopies, equalsBytes = 5, 16

// notes is how many numbers the set keeps of a point for the learner: where it was
// published last, and its class.
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

// published is the part of a note that says where a point was published last.
func (s Settings) published(note []float32) []float32 {
	if s.Mapping.Label != "" {
		return note[:len(note)-1]
	}
	return note
}

// grouped says whether clusters are found.
func (s Settings) grouped() bool { return s.Clusters.MinSize != 0 }

// Placing are the settings by which events are placed, by the learner or by an embedder
// that follows it.
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

// sized reports how large maps will be.
func (s *Settings) sized(dim, points int) {
	if s.Hooks.Sized != nil {
		s.Hooks.Sized(dim, points)
	}
}

// failed reports what does not end learning.
func (s *Settings) failed(err error) {
	if s.Hooks.RefreshFailed != nil {
		s.Hooks.RefreshFailed(err)
	}
}
