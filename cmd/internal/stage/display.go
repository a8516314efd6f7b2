package stage

import (
	"context"
	"fmt"
	"hash/maphash"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/serve"
	"unfold/cmd/internal/viewer"
	"unfold/ingest/emit"
	"unfold/internal/vec"
	"unfold/stream"
	"unfold/stream/learn"
	"unfold/stream/view"
)

// The page's shares of the memory bound, in bytes: a point with its id and some columns, all
// vectors that the page can request, and changes. Changes are the log, the moves from earlier maps
// and the copies during a refresh, 32 MiB each, and places on earlier maps, 24 MiB. Encoded points and responses in progress come on
// top (view.EncodedBytes, viewer.AnswerBytes).
const (
	pointBytes       = 400
	vectorBytes      = 64 << 20
	pageChangesBytes = 120 << 20
)

// pageBytes returns the maximum memory of the page in bytes, 0 without a page. The page has the
// newest page.points events and the reference set.
func pageBytes(c *config.Config) int64 {
	if !c.ServesPage() {
		return 0
	}
	points := c.Page.Points + basePoints(c)
	return pointBytes*int64(points) + vectorBytes + pageChangesBytes + int64(view.EncodedBytes(points)) + viewer.AnswerBytes
}

// basePoints returns the maximum number of points of a map. Some policies let the reference set
// exceed its size by a tenth for a while.
func basePoints(c *config.Config) int { return c.Reference.Size + c.Reference.Size/10 }

// display feeds the page with the stage's events and maps. It is the stage's embed.Watcher.
type display struct {
	hub   *view.Hub
	first int // number of events for the first map
	ready func() (string, error)
	// shown is used by NewMap only.
	shown shown
	// grouped has the clusters of the current map, nil if it has none. regroup receives a token
	// when they change.
	grouped atomic.Pointer[grouping]
	regroup chan struct{}

	mu sync.Mutex
	tally
	lag map[stream.TopicPartition]int64
	p   *stream.Published
	// past are the statistics of the last maps, oldest first.
	past []stream.Stats
	// heard is the last time at which events were read, as far as run has looked.
	heard time.Time
	// mapped receives a token when the first map is there.
	mapped chan struct{}
}

// mostPast bounds the length of past.
const mostPast = 1000

// history returns the statistics of the last maps, oldest first.
func (d *display) history() any {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]stream.Stats{}, d.past...)
}

// tally has counts since the start of the stage.
type tally struct {
	read, placed, novel, letters, delivered, maps uint64
	latency                                       time.Duration // sum over delivered events
	// novelty counts placed events by novelty_global, in hundredths.
	novelty [101]uint64
}

// newDisplay makes a display; ready returns the health of the stage.
func newDisplay(c *config.Config, ready func() (string, error)) *display {
	image, _ := view.ParseImage(c.Page.Image) // the configuration was checked
	return &display{
		hub: view.New(view.Settings{
			Size: c.Page.Points, Base: basePoints(c), Label: c.Source.Label, Title: c.Group(), Point: c.Page.Point, Live: true, Asks: c.Role != config.RoleLearn,
			Vectors: vectorBytes, Image: image, PicturesFrom: c.Page.ImagesFrom,
		}),
		first: c.Reference.Min, ready: ready, shown: shown{seed: maphash.MakeSeed()}, regroup: make(chan struct{}, 1), mapped: make(chan struct{}, 1), lag: map[stream.TopicPartition]int64{}}
}

// Placed implements embed.Watcher.
func (d *display) Placed(o *emit.Output, x vec.Matrix[float32], from stream.Position) {
	n := o.Len()
	in := view.Rows{ID: o.ID, X: make([]float32, n), Y: make([]float32, n), At: float64(time.Now().UnixMilli()), Vectors: x}
	for i := range n {
		row := o.Embedding.Row(i)
		in.X[i] = row[0]
		if len(row) > 1 {
			in.Y[i] = row[1]
		}
	}
	in.Map = view.MapState{ID: o.MapID, Epoch: o.Epoch, Version: o.Version}
	in.Columns = o.Figures()
	in.Same = []view.Same{{Name: "partition", Value: strconv.Itoa(from.Partition)}}
	d.mu.Lock()
	d.placed += uint64(n)
	for _, v := range o.NoveltyGlobal {
		if v > 0.99 {
			d.novel++
		}
		if v >= 0 && v <= 1 {
			d.novelty[int(v*100)]++
		}
	}
	d.mu.Unlock()
	// Outputs are complete. An incomplete one would be reported at delivery.
	_ = d.hub.Put(in)
}

// Gone implements embed.Watcher.
func (d *display) Gone(id string) { d.hub.Remove(id) }

// Emptied implements embed.Watcher.
func (d *display) Emptied() { d.hub.Clear() }

// hooks returns hooks that update the counts.
func (d *display) hooks() stream.Hooks {
	count := func(f func()) {
		d.mu.Lock()
		defer d.mu.Unlock()
		f()
	}
	return stream.Hooks{
		EventsIn:     func(_ stream.TopicPartition, n int) { count(func() { d.read += uint64(n) }) },
		DeadLettered: func(stream.Message, stream.Stage, error) { count(func() { d.letters++ }) },
		Lag:          func(tp stream.TopicPartition, n int64) { count(func() { d.lag[tp] = n }) },
		Revoked: func(tps []stream.TopicPartition) {
			count(func() {
				for _, tp := range tps {
					delete(d.lag, tp)
				}
			})
		},
		Delivered: func(_ stream.TopicPartition, _, events int, took time.Duration) {
			count(func() { d.delivered, d.latency = d.delivered+uint64(events), d.latency+time.Duration(events)*took })
		},
		Published: func(p *stream.Published, _ time.Duration) {
			count(func() {
				if d.p == nil {
					d.mapped <- struct{}{}
				}
				d.p, d.past = p, append(d.past, p.Stats)
				d.past = d.past[max(0, len(d.past)-mostPast):]
				d.tally.maps++
			})
		},
	}
}

// run publishes changes, and a status every second, until the context is done.
func (d *display) run(ctx context.Context) {
	var work sync.WaitGroup
	work.Go(func() { d.hub.Run(ctx) })
	work.Go(func() { d.keepGrouped(ctx) })
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	before := d.now()
	last := before
	d.heard = time.Now()
	_ = d.hub.SetStatus(d.status(before, before)) // for a page that is opened in the first second
	for {
		select {
		case <-ctx.Done():
			work.Wait()
			return
		case <-d.mapped:
			// The page would call the map not yet learnt for up to a second. Whether the stage halts is
			// not known before it has placed events.
			s := d.status(last, before)
			s.Phase, s.Detail = "", ""
			_ = d.hub.SetStatus(s)
			continue
		case <-tick.C:
		}
		now := d.now()
		s := d.status(before, now)
		s.Quiet = d.quiet(before, now, time.Now())
		// A status has only texts and numbers, which always encode.
		_ = d.hub.SetStatus(s)
		last, before = before, now
	}
}

func (d *display) now() tally {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.tally
}

// quiet returns the number of whole seconds without events, given two tallies and the time of the
// second.
func (d *display) quiet(a, b tally, at time.Time) int {
	if b.read > a.read {
		d.heard = at
	}
	return int(at.Sub(d.heard) / time.Second)
}

// Status is the state of the stage that the page shows.
type Status struct {
	// Phase is "waiting" for the first events, "learning" the first map, "halted" while /readyz
	// fails, or "".
	Phase string `json:"phase,omitempty"`
	// Detail describes the problem or what the stage waits for. Progress is the share done, 0 to 1.
	Detail   string  `json:"detail,omitempty"`
	Progress float64 `json:"progress,omitempty"`
	// Quiet is the number of seconds since events were last read.
	Quiet int `json:"quiet,omitempty"`
	// Figures are statistics by name: of the last second, or sums.
	Figures map[string]float64 `json:"figures"`
}

// status returns the status for the time between two tallies, a second apart.
func (d *display) status(a, b tally) Status {
	d.mu.Lock()
	lag := int64(0)
	for _, n := range d.lag {
		lag += n
	}
	p := d.p
	d.mu.Unlock()
	s := Status{Figures: map[string]float64{"rate": float64(b.placed - a.placed), "lag": float64(lag), "dead_letters": float64(b.letters), "maps": float64(b.maps)}}
	if n := b.delivered - a.delivered; n > 0 {
		s.Figures["latency_ms"] = float64((b.latency - a.latency).Microseconds()) / 1000 / float64(n)
	}
	if n := b.placed - a.placed; n > 0 {
		s.Figures["novel"] = float64(b.novel-a.novel) / float64(n)
		s.Figures["novelty_50"], s.Figures["novelty_99"] = b.quantile(&a, 0.5), b.quantile(&a, 0.99)
	}
	switch {
	case p != nil:
		s.Figures["drift"] = p.Stats.Drift.Median / 100
		if _, err := d.ready(); err != nil {
			s.Phase, s.Detail = "halted", err.Error()
		}
	case b.read < uint64(d.first):
		s.Phase, s.Progress = "waiting", float64(b.read)/float64(d.first)
		s.Detail = fmt.Sprintf("waiting for the first map: %d of %d events are there", b.read, d.first)
	default:
		s.Phase, s.Detail = "learning", "learning the first map"
	}
	return s
}

// quantile returns the p-quantile of novelty_global among the events since tally a, rounded to a
// hundredth.
func (b *tally) quantile(a *tally, p float64) float64 {
	n := uint64(0)
	for i := range b.novelty {
		n += b.novelty[i] - a.novelty[i]
	}
	seen := uint64(0)
	for i := range b.novelty {
		if seen += b.novelty[i] - a.novelty[i]; float64(seen) >= p*float64(n) {
			return float64(i) / 100
		}
	}
	return 1
}

// vector returns the vector of an event by its id: a placed event, or one of the reference set.
func (d *display) vector(m *serve.Model, id string) ([]float32, error) {
	if x, there := d.hub.Vector(id); there && len(x) == m.Dim() {
		return x, nil
	}
	return m.Vector(id)
}

// shownClasses is the number of most probable classes shown for a point.
const shownClasses = 3

// again predicts the classes of events again with the current map, where their vectors are known.
// Events placed on an earlier map may have become certain since.
func (d *display) again(current func() (*serve.Model, error)) viewer.Again {
	return func(ctx context.Context, points []view.Uncertain) error {
		if len(points) == 0 {
			return nil
		}
		m, err := current()
		if err != nil {
			return err
		}
		var rows []int
		var ids []string
		x := vec.Matrix[float32]{Cols: m.Dim()}
		for i, p := range points {
			v, there := d.hub.Vector(p.ID)
			if !there || len(v) != x.Cols || !vec.Finite(v) {
				continue
			}
			rows, ids, x.Data, x.Rows = append(rows, i), append(ids, p.ID), append(x.Data, v...), x.Rows+1
		}
		shares, entropy, err := m.Shares(ctx, ids, x)
		if err != nil {
			return err
		}
		for k := range shares {
			p := &points[rows[k]]
			p.Entropy, p.Classes = float64(entropy[k]), nil
			for _, s := range shares[k][:min(shownClasses, len(shares[k]))] {
				p.Classes = append(p.Classes, view.ClassShare{Class: s.Class, Probability: float64(s.Probability)})
			}
		}
		return nil
	}
}

// showPage starts the page, if it is enabled.
func (st *Stage) showPage(s *Settings) {
	if !s.Config.ServesPage() {
		return
	}
	st.display = newDisplay(s.Config, st.Ready)
	s.Hooks = join(s.Hooks, st.display.hooks())
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		st.display.run(ctx)
	}()
	st.closers = append(st.closers, func() error {
		stop()
		<-done
		return nil
	})
}

// watch connects the page to the learner's events.
func (st *Stage) watch(set *learn.Settings) {
	if st.display != nil {
		set.Watch = st.display
	}
}

// viewer returns the HTTP handler of the page.
func (st *Stage) viewer(place http.Handler, current func() (*serve.Model, error)) (*viewer.Handler, error) {
	h, err := viewer.New(viewer.Settings{Hub: st.display.hub, Vector: serve.Vectors(current), Place: place, Maps: st.display.history, Again: st.display.again(current)})
	if err == nil {
		st.closers = append(st.closers, h.Close)
	}
	return h, err
}
