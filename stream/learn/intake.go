package learn

import (
	"context"
	"math"
	"slices"
	"sync"

	"unfold/ingest"
	"unfold/internal/offsets"
	"unfold/models/ep/labels"
	"unfold/stream"
	"unfold/stream/embed"
	"unfold/stream/format"
	"unfold/stream/reference"
)

// intake accepts events. Before the first map it collects them, afterwards it adds them to the
// reference set. The pipeline's workers call Offer; the refresher and the publisher read from it.
// Its lock guards all fields but set and enough.
type intake struct {
	set Settings
	// enough has a token if the first map can be learnt.
	enough chan struct{}

	mu sync.Mutex
	// next is the offset after the last accepted event of each partition.
	next map[stream.TopicPartition]int64
	// encoder and ref are set from the first map on; cold is used before.
	encoder *ingest.Encoder
	ref     *reference.Set
	cold    coldStart
	// names checks the columns that the settings name against the first events after a start from a
	// state.
	names stream.Names
	// pool are the labelled events if classes are predicted; nil before the first.
	pool *labels.Pool
	// prequential are the labelled events that evaluate the map.
	prequential *prequential
	// need is the number of events that the first map needs. fitting is set while it is being
	// learnt, and closed afterwards.
	need    int
	fitting chan struct{}
	// unsaved is true if the reference set has changed since it was saved. idType is the type of
	// the events' ids. format is that of the last message; "" stands for Arrow.
	unsaved bool
	idType  string
	format  format.Name
	// watch tests the newest events for drift; nil if that is off.
	watch *watcher
	// serving is the map on which events are placed; the zero value before the first.
	serving stream.Published
	// releasing is true while the rows of the reference set's points refer to a map that is not
	// published yet, because its classes are being learnt or it is being saved.
	releasing bool
}

func newIntake(set Settings) *intake {
	return &intake{
		set: set, enough: make(chan struct{}, 1), next: map[stream.TopicPartition]int64{},
		cold: coldStart{mapping: set.Mapping, limits: set.Limits}, need: set.Min, prequential: newPrequential(set.Seed),
		watch: newWatcher(set),
	}
}

// Offer implements stream.Learner.
func (in *intake) Offer(ctx context.Context, e stream.Events) error {
	mine, err := embed.Own(e)
	if err != nil {
		return err
	}
	for {
		in.mu.Lock()
		if busy := in.fitting; busy != nil && in.encoder == nil {
			in.mu.Unlock()
			select {
			case <-busy:
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		err := in.accept(mine)
		in.mu.Unlock()
		return err
	}
}

// accept adds events that were not accepted before. The caller must hold the lock.
func (in *intake) accept(e *embed.Events) error {
	tp := e.Position.TopicPartition
	if e.Position.Offset < in.next[tp] {
		return in.again(e)
	}
	in.next[tp] = e.Position.Offset + 1
	in.unsaved = true
	if e.Table != nil {
		in.format = e.Wire.Format
	}
	switch {
	case e.Truncated:
		in.empty()
		return nil
	case in.encoder == nil && len(e.Unchanged) > 0 && (in.set.Mapping.Vector == "" || slices.Contains(e.Unchanged, in.set.Mapping.Vector)):
		return nil // it can be placed later, but adds nothing to the learner
	case in.encoder == nil && e.Table == nil:
		in.cold.collectTombstone(e.Gone)
		return nil
	case in.encoder == nil:
		if err := in.cold.collect(e, in.need); err != nil {
			return err
		}
		if in.cold.full(in.need, in.set.Size) {
			in.fitting = make(chan struct{})
			in.enough <- struct{}{}
		}
		return nil
	case e.Table == nil:
		in.ref.Delete(e.Gone)
		in.unlabel(e.Gone)
		return nil
	}
	b, err := e.Encode(in.encoder, in.vector)
	if wrong := in.names.Judge(e.Len(), err); wrong != nil {
		return wrong
	}
	if err != nil {
		return err
	}
	if in.idType == "" && b.ID.Valid() {
		in.idType = b.ID.DataType()
	}
	classes := in.prequential.classes(b, in.set.Mapping.Label)
	in.show(b, e, classes)
	in.watch.take(b.X)
	in.prequential.sample(b, classes)
	in.label(b)
	return nil
}

// empty removes all events. The caller must hold the lock.
func (in *intake) empty() {
	if in.encoder == nil {
		in.cold.empty()
		return
	}
	in.ref.Clear()
	in.pool = nil
}

// vector returns the vector of the event with the given id, or nil if it is unknown. The caller
// must hold the lock.
func (in *intake) vector(id string) []float32 {
	if p := in.ref.Of(id); p >= 0 {
		return in.ref.Vector(p)
	}
	return nil
}

// Vector is vector for callers that do not hold the lock. It returns a copy.
func (in *intake) Vector(id string) []float32 {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.ref == nil {
		return nil
	}
	return slices.Clone(in.vector(id))
}

// show adds events, and their classes if any, to the reference set. The caller must hold the lock.
func (in *intake) show(b *ingest.Batch, e *embed.Events, classes []int32) {
	show(in.ref, b, e.At, classes, func(row int, p int32) { in.publishedAt(p, e.Placed(), row) })
}

// show adds the events of a batch, and their classes if any, to a reference set. taken, if not nil,
// is called for each row that a point represents.
func show(ref *reference.Set, b *ingest.Batch, at int64, classes []int32, taken func(row int, p int32)) {
	for i := range b.Len() {
		id := ""
		if b.ID.Valid() {
			id = b.ID.Text(i)
		}
		p := ref.Add(b.X.Row(i), id, at)
		if p < 0 {
			continue
		}
		if classes != nil && classes[i] != noClass {
			setClass(ref, p, classes[i])
		}
		if taken != nil {
			taken(i, p)
		}
	}
}

// again records the published places of events that were accepted before. The caller must hold the
// lock.
func (in *intake) again(e *embed.Events) error {
	if in.encoder == nil || e.Table == nil || e.Placed() == nil {
		return nil
	}
	b, err := e.Encode(in.encoder, in.vector)
	if err != nil {
		return err
	}
	in.unsaved = true
	for i := range b.Len() {
		if p := in.ref.Find(b.X.Row(i)); p >= 0 {
			in.publishedAt(p, e.Placed(), i)
		}
	}
	return nil
}

// CreatedAgain records that a topic was deleted and created again. Its offsets restart, and none of
// its events have been accepted.
func (in *intake) CreatedAgain(topic string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for tp := range in.next {
		if tp.Topic == topic {
			delete(in.next, tp)
			in.unsaved = true
		}
	}
}

// Seen returns the offsets up to which the reference set has accepted events, and the number of its
// points that are not on the newest map yet.
func (in *intake) Seen() (seen []stream.Position, waiting int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.ref == nil {
		return nil, 0
	}
	for p := range in.ref.All() {
		if in.ref.Row(p) < 0 || in.releasing {
			waiting++
		}
	}
	return in.offsets(), waiting
}

// offsets returns the offsets after the accepted events. The caller must hold the lock.
func (in *intake) offsets() []stream.Position { return offsets.Sorted(in.next) }

// lock returns the reference set for exclusive use until unlock.
func (in *intake) lock() *reference.Set {
	in.mu.Lock()
	return in.ref
}

func (in *intake) unlock() { in.mu.Unlock() }

// collected returns the events for the first map, the number of events that it needs, and the
// offsets after them. No events are accepted until tried.
func (in *intake) collected() (cold *coldStart, need int, seen []stream.Position) {
	in.mu.Lock()
	defer in.mu.Unlock()
	return &in.cold, in.need, in.offsets()
}

// tried records whether learning the first map succeeded, and accepts events again. If the events
// did not suffice (streams are full of duplicates), the next attempt needs half as many more, until
// the reference set is full.
func (in *intake) tried(done bool) (full bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	full = in.need >= in.set.Size
	if !done {
		in.need = min(in.need+in.need/2+1, in.set.Size)
	}
	close(in.fitting)
	in.fitting = nil
	return full
}

// replace sets the reference set to which events are added and returns the previous one.
func (in *intake) replace(ref *reference.Set) (was *reference.Set) {
	in.mu.Lock()
	defer in.mu.Unlock()
	was, in.ref = in.ref, ref
	return was
}

// cut is the state of the intake when the publication of a map began.
type cut struct {
	// counts is the number of events of each row of the map. classes is the class of each row; nil
	// if no row has one.
	counts  []uint32
	classes []int32
	// ids are the ids of the rows; nil if they are not needed.
	ids []string
	// sample are labelled events since the previous map.
	sample sample
	// set is the reference set to be saved; nil if there is nothing to save.
	set *set
}

// cut records the rows of the reference set's points on a new map and returns the state that
// belongs to that map. It adds the counters to the stats.
func (in *intake) cut(rowOf []int32, rows int, f *stream.Stats) cut {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.ref.Published(rowOf)
	in.releasing = true
	c := cut{counts: in.counts(rows), classes: in.rowClasses(rows), ids: in.rowIDs(rows), sample: in.prequential.cut()}
	in.count(f)
	if in.set.State != "" {
		c.set = in.toSave()
	}
	in.unsaved = false
	return c
}

// uncut records that the state of the last cut was not saved.
func (in *intake) uncut() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.unsaved = true
}

// begin sets the encoder of a map that is about to be published as the encoder of accepted events.
// It releases the events collected before the first map.
func (in *intake) begin(encoder *ingest.Encoder) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.encoder, in.cold = encoder, coldStart{}
}

// released records that the map of the last cut is published.
func (in *intake) released() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.releasing = false
}

// counts returns the number of events of each row of the map that is about to be published. The
// caller must hold the lock.
func (in *intake) counts(rows int) []uint32 {
	out := make([]uint32, rows)
	for p := range in.ref.All() {
		if r := in.ref.Row(p); r >= 0 {
			out[r] = uint32(min(uint64(out[r])+uint64(in.ref.Count(p)), math.MaxUint32))
		}
	}
	for i := range out {
		out[i] = max(out[i], 1) // the point was deleted while the map was learnt
	}
	return out
}

// rowIDs returns the ids of the newest event of each row of a map, "" if unknown, or nil if ids are
// not needed. The caller must hold the lock.
func (in *intake) rowIDs(rows int) []string {
	if !in.set.Named {
		return nil
	}
	var out []string // also nil if no event has an id
	for p := range in.ref.All() {
		if r, ids := in.ref.Row(p), in.ref.IDs(p); r >= 0 && len(ids) > 0 {
			if out == nil {
				out = make([]string, rows)
			}
			out[r] = ids[len(ids)-1]
		}
	}
	return out
}

// count sets the counters of the reference set in stats. The caller must hold the lock.
func (in *intake) count(f *stream.Stats) {
	c := in.ref.Counts()
	f.OldestAge = in.ref.Age()
	f.Events, f.Duplicates, f.Upserts, f.Deletes, f.UnknownDeletes = c.Events, c.Duplicates, c.Upserts, c.Deletes, c.UnknownDeletes
	f.Evicted, f.Expired, f.Unusable, f.LongIDs = c.Evicted, c.Expired, c.Unusable, c.LongIDs
}

// changedSet returns a copy of the reference set if it has changed since it was saved, else nil.
func (in *intake) changedSet() *set {
	in.mu.Lock()
	defer in.mu.Unlock()
	if !in.unsaved {
		return nil
	}
	return in.toSave()
}

// toSave returns a copy of the reference set for saving. The caller must hold the lock.
func (in *intake) toSave() *set {
	mapping := in.set.Mapping
	mapping.Selection = ingest.Selection{}
	v := in.ref.Save()
	return &set{
		setHeader: setHeader{
			Dim: v.X.Cols, Note: v.Notes.Cols, Rows: v.X.Rows, IDs: v.IDs != nil, Newest: v.Newest, Threshold: v.Threshold, Counts: v.Counts,
			Mapping: mapping, IDType: in.idType, Format: in.format, Labels: in.labelNames(), Positions: in.offsets(),
		},
		points: v,
	}
}
