package labels

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/snapshot"
)

// defaultPool is the default capacity of a Pool.
const defaultPool = 20000

// rare is the number of events that are kept of each class, however rare, if the pool has room for
// at least as many of all classes.
const rare = 50

// Pool is a bounded, uniform sample of the labelled events of a stream (reservoir sampling, Vitter
// 1985), so that long runs of one class do not displace the others. In addition, up to 50 events of
// every class are kept in place of events of frequent classes. An event with a known id replaces
// the former one. The sample depends only on the order of events. A Pool is not safe for concurrent
// use.
type Pool struct {
	dim, most int
	x         []float32
	label, id []string
	key       []uint64 // order of arrival
	at        map[string]int
	seen      uint64
	count     map[string]int // events by label
}

// PoolBytes estimates the memory in bytes of a full pool of defaultPool events, with vectors of dim
// elements and ids of idBytes bytes (0: none), including the memory of training.
func PoolBytes(dim, idBytes int) int64 {
	const entry, sites = 64, 512 // sites for some classes
	return defaultPool * int64(4*dim+min(idBytes, mostText)+mostText+entry+sites)
}

// NewPool returns an empty pool for vectors of dim elements. most 0 means defaultPool.
func NewPool(dim, most int) *Pool {
	if most <= 0 {
		most = defaultPool
	}
	return &Pool{dim: dim, most: most, at: map[string]int{}, count: map[string]int{}}
}

// Len returns the number of events in the pool.
func (p *Pool) Len() int { return len(p.label) }

// Seen returns the number of labelled events that were added.
func (p *Pool) Seen() uint64 { return p.seen }

// mostText bounds the bytes of ids and labels.
const mostText = 256

// Add adds a labelled event; the id may be "". An event whose id or label is longer than mostText
// is counted but not stored.
func (p *Pool) Add(x []float32, id, label string) {
	p.seen++
	if len(id) > mostText || len(label) > mostText {
		return
	}
	i, again := p.at[id]
	switch {
	case again && id != "":
		p.uncount(p.label[i])
	case len(p.label) < p.most:
		i = len(p.label)
		p.x = append(p.x, make([]float32, p.dim)...)
		p.label, p.id, p.key = append(p.label, ""), append(p.id, ""), append(p.key, 0)
	default:
		if i = p.victim(label); i < 0 {
			return
		}
		delete(p.at, p.id[i])
		p.uncount(p.label[i])
	}
	copy(p.x[i*p.dim:(i+1)*p.dim], x)
	p.label[i], p.id[i], p.key[i] = label, id, p.seen
	p.count[label]++
	if id != "" {
		p.at[id] = i
	}
}

// victim returns the index of the event that an event with this label replaces in a full pool, or
// -1 if it is not stored.
func (p *Pool) victim(label string) int {
	draw := mix(p.seen)
	at, keep := draw%p.seen, min(rare, p.most/(2*max(1, len(p.count))))
	if at >= uint64(p.most) {
		if p.count[label] >= keep {
			return -1
		}
		at = draw % uint64(p.most)
	}
	// The next event of a class with enough events, or of the same class.
	for range p.most {
		if l := p.label[at]; l == label || p.count[l] > keep {
			return int(at)
		}
		at = (at + 1) % uint64(p.most)
	}
	return -1
}

// uncount counts the removal of an event with this label.
func (p *Pool) uncount(label string) {
	if p.count[label]--; p.count[label] == 0 {
		delete(p.count, label)
	}
}

// Delete removes the event with the given id, if it exists.
func (p *Pool) Delete(id string) {
	i, ok := p.at[id]
	if !ok || id == "" {
		return
	}
	delete(p.at, id)
	p.uncount(p.label[i])
	last := len(p.label) - 1
	if i != last {
		copy(p.x[i*p.dim:], p.x[last*p.dim:])
		p.label[i], p.id[i], p.key[i] = p.label[last], p.id[last], p.key[last]
		if p.id[i] != "" {
			p.at[p.id[i]] = i
		}
	}
	p.x, p.label, p.id, p.key = p.x[:last*p.dim], p.label[:last], p.id[:last], p.key[:last]
}

// Clone returns a copy.
func (p *Pool) Clone() *Pool {
	q := *p
	q.x, q.label, q.id, q.key = slices.Clone(p.x), slices.Clone(p.label), slices.Clone(p.id), slices.Clone(p.key)
	q.count = maps.Clone(p.count)
	q.at = make(map[string]int, len(p.at))
	for id, i := range p.at {
		q.at[id] = i
	}
	return &q
}

// Train trains a classifier on the events at the places that placer gives them. Events without a
// place are left out.
func (p *Pool) Train(ctx context.Context, placer models.Placer, old *Classifier, set Settings) (*Classifier, Report, error) {
	x, label, key := vec.Of(p.Len(), p.dim, slices.Clone(p.x)), slices.Clone(p.label), slices.Clone(p.key)
	var placed models.Placed
	for {
		var err error
		if placed, err = placer.Place(ctx, x); err == nil {
			break
		}
		var bad *models.RowError
		if !errors.As(err, &bad) {
			return nil, Report{}, err
		}
		x.Data = slices.Delete(x.Data, bad.Row*p.dim, (bad.Row+1)*p.dim)
		label, key = slices.Delete(label, bad.Row, bad.Row+1), slices.Delete(key, bad.Row, bad.Row+1)
		x.Rows--
	}
	return Train(ctx, EventsAt(placed, label, key), old, set)
}

// Names of a pool's parts of a snapshot.
const (
	partPool = "labels.pool"  // JSON: poolText
	partRows = "labels.rows"  // the vectors
	partKeys = "labels.order" // numbers of arrival
)

// poolText contains the fields of a pool that are not arrays.
type poolText struct {
	Seen   uint64   `json:"seen"`
	Most   int      `json:"most"`
	Labels []string `json:"labels"`
	IDs    []string `json:"ids"`
}

// Parts returns the pool as parts of a snapshot, none if it is empty.
func (p *Pool) Parts() ([]snapshot.Part, error) {
	if p.Len() == 0 {
		return nil, nil
	}
	text, err := json.Marshal(poolText{p.seen, p.most, p.label, p.id})
	if err != nil {
		return nil, err
	}
	return []snapshot.Part{
		{Name: partPool, Rows: len(text), Cols: 1, Data: text},
		{Name: partRows, Rows: p.Len(), Cols: p.dim, Data: slices.Clone(p.x)},
		{Name: partKeys, Rows: p.Len(), Cols: 1, Data: slices.Clone(p.key)},
	}, nil
}

// OpenPool returns the pool in a snapshot, an empty one if there is none.
func OpenPool(s *snapshot.Snapshot, most int) (*Pool, error) {
	p := NewPool(s.Dim, most)
	if _, ok := s.Part(partPool); !ok {
		return p, nil
	}
	text, err := snapshot.PartOf[byte](s, partPool, 0, 1)
	if err != nil {
		return nil, err
	}
	var t poolText
	if err := json.Unmarshal(text, &t); err != nil {
		return nil, fmt.Errorf("part %q: %w", partPool, err)
	}
	n := len(t.Labels)
	if len(t.IDs) != n || t.Most < n || t.Seen < uint64(n) {
		return nil, fmt.Errorf("part %q has %d labels and %d ids, of at most %d and %d seen", partPool, n, len(t.IDs), t.Most, t.Seen)
	}
	if p.x, err = snapshot.PartOf[float32](s, partRows, n, s.Dim); err != nil {
		return nil, err
	}
	if p.key, err = snapshot.PartOf[uint64](s, partKeys, n, 1); err != nil {
		return nil, err
	}
	// Copied, because a snapshot is read-only.
	p.x, p.key = slices.Clone(p.x), slices.Clone(p.key)
	p.most, p.seen, p.label, p.id = max(p.most, t.Most), t.Seen, t.Labels, t.IDs
	for i, id := range p.id {
		p.count[p.label[i]]++
		if id != "" {
			p.at[id] = i
		}
	}
	return p, nil
}
