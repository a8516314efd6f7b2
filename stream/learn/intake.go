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

// intake accepts events: before the first map it collects them, afterwards it shows them to
// the reference set. The pipeline's workers offer to it, the refresher and the publisher
// read from it. All but set and enough is guarded by its lock.
type intake struct {
	set Settings
	// enough has a token when the first map can be learnt.
	enough chan struct{}

	mu sync.Mutex
	// next is the offset behind the last event accepted, for each partition.
	next map[stream.TopicPartition]int64
	// encoder and ref are there from the first map on, cold before.
	encoder *ingest.Encoder
	ref     *reference.Set
	cold    coldStart
	// names judges the columns that the settings name by the first events that a map from the state takes.
	names stream.Names
	// pool are labelled events, if classes are predicted; nil before the first.
	pool *labels.Pool
	// prequential has the events with labels that judge the map.
	prequential *prequential
	// need is how many events the first map needs; fitting is there while it
	// is being learnt, and closed afterwards.
	need    int
	fitting chan struct{}
	// unsaved: the reference set is not what was saved last. idType is the type of the
	// events' ids, format that of the last message; "" stands for Arrow.
	unsaved bool
	idType  string
	format  format.Name
	// watch looks at the newest events; nil: nobody does.
	watch *watcher
	// serving is the map that events are placed on; the zero value before the first.
	serving stream.Published
	// releasing: the rows of the reference set's points are those of a map that is not
	// published yet, while its classes are learnt and it is saved.
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

// accept takes events that were not taken before. The lock is held.
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
		return nil // it can be placed once there is a map, and shows the learner nothing new
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

// empty takes all events out. The lock is held.
func (in *intake) empty() {
	if in.encoder == nil {
		in.cold.empty()
		return
	}
	in.ref.Clear()
	in.pool = nil
}

// vector returns that of the event of an id, nil if it is not known. The lock is held.
func (in *intake) vector(id string) []float32 {
	if p := in.ref.Of(id); p >= 0 {
		return in.ref.Vector(p)
	}
	return nil
}

// Vector is vector for those who do not hold the lock: a copy.
func (in *intake) Vector(id string) []float32 {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.ref == nil {
		return nil
	}
	return slices.Clone(in.vector(id))
}

// show shows events, and their classes if they have any, to the reference set. The lock is held.
func (in *intake) show(b *ingest.Batch, e *embed.Events, classes []int32) {
	show(in.ref, b, e.At, classes, func(row int, p int32) { in.publishedAt(p, e.Placed(), row) })
}

// show shows the events of a batch, and their classes if they have any, to a reference
// set. taken, if not nil, is called for each row that a point stands for.
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

// again takes note of where events were published that were taken before. The lock is held.
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

// CreatedAgain notes that a topic's offsets begin again, since it was created again: none of its
// events were taken before.
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

// Seen returns the offsets behind what the reference set has taken, and how many of its
// points are not on the newest map yet.
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

// offsets are those behind what was accepted. The lock is held.
func (in *intake) offsets() []stream.Position { return offsets.Sorted(in.next) }

// lock returns the reference set; nobody else has it until unlock.
func (in *intake) lock() *reference.Set {
	in.mu.Lock()
	return in.ref
}

func (in *intake) unlock() { in.mu.Unlock() }

// collected is what the first map can be learnt from: nothing is accepted until tried. need
// is how many events it needs, and seen the offsets behind them.
func (in *intake) collected() (cold *coldStart, need int, seen []stream.Position) {
	in.mu.Lock()
	defer in.mu.Unlock()
	return &in.cold, in.need, in.offsets()
}

// tried takes how learning the first map ended, and admits events again. If the events
// did not suffice (streams are full of duplicates) the next attempt has half as many more,
// until the reference set is full.
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

// replace makes a reference set the one that events are shown to.
func (in *intake) replace(ref *reference.Set) (was *reference.Set) {
	in.mu.Lock()
	defer in.mu.Unlock()
	was, in.ref = in.ref, ref
	return was
}

// cut is the intake as it was when a map began to be published.
type cut struct {
	// counts says for how many events each row of the map stands, classes of which class
	// it is; nil if no row has one.
	counts  []uint32
	classes []int32
	// ids are those of the rows; nil if nobody wants them.
	ids []string
	// sample are the labelled events since the map before.
	sample sample
	// set is the reference set, to be saved; nil if nothing is.
	set *set
}

// cut says which rows of a new map the reference set's points have, and what goes with
// that map. It adds what has been counted to the stats.
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

// uncut says that what was cut is not saved.
func (in *intake) uncut() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.unsaved = true
}

// begin makes the encoder of a map that is about to be published the one by which events
// are accepted. What was collected before the first map is let go.
func (in *intake) begin(encoder *ingest.Encoder) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.encoder, in.cold = encoder, coldStart{}
}

// released says that the map of the last cut is published.
func (in *intake) released() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.releasing = false
}

// counts says for how many events each row of the map stands that is about to be
// published. The lock is held.
func (in *intake) counts(rows int) []uint32 {
	out := make([]uint32, rows)
	for p := range in.ref.All() {
		if r := in.ref.Row(p); r >= 0 {
			out[r] = uint32(min(uint64(out[r])+uint64(in.ref.Count(p)), math.MaxUint32))
		}
	}
	for i := range out {
		out[i] = max(out[i], 1) // a point that went while the map was learnt
	}
	return out
}

// rowIDs are the ids of the newest events that the rows of a map are, "" where none is
// known; nil if nobody wants them. The lock is held.
func (in *intake) rowIDs(rows int) []string {
	if !in.set.Named {
		return nil
	}
	var out []string // nil as well if no event has one
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

// count fills in what the reference set has counted. The lock is held.
func (in *intake) count(f *stream.Stats) {
	c := in.ref.Counts()
	f.OldestAge = in.ref.Age()
	f.Events, f.Duplicates, f.Upserts, f.Deletes, f.UnknownDeletes = c.Events, c.Duplicates, c.Upserts, c.Deletes, c.UnknownDeletes
	f.Evicted, f.Expired, f.Unusable, f.LongIDs = c.Evicted, c.Expired, c.Unusable, c.LongIDs
}

// changedSet returns a copy of the reference set if it is not what was saved last, else nil.
func (in *intake) changedSet() *set {
	in.mu.Lock()
	defer in.mu.Unlock()
	if !in.unsaved {
		return nil
	}
	return in.toSave()
}

// toSave copies the reference set to be saved. The lock is held.
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
