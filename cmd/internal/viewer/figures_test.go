//go:build unix

package viewer_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/stage"
	"unfold/cmd/internal/viewer"
	"unfold/cmd/internal/viewer/browser"
	"unfold/cmd/internal/web"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/view"
)

// TestFigures measures the page and writes docs/page.md to the path in UNFOLD_PAGE_FIGURES: make
// page-figures. UNFOLD_PAGE_TIME is the duration of the live part, 5 minutes by default.
func TestFigures(t *testing.T) {
	path := os.Getenv("UNFOLD_PAGE_FIGURES")
	if path == "" {
		t.Skip("SKIPPED, it measures for minutes: make page-figures")
	}
	span := 5 * time.Minute
	if text := os.Getenv("UNFOLD_PAGE_TIME"); text != "" {
		var err error
		if span, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	var rows []string
	row := func(what, least, format string, args ...any) {
		rows = append(rows, fmt.Sprintf("| %s | %s | %s |", what, least, fmt.Sprintf(format, args...)))
		t.Log(rows[len(rows)-1])
	}
	first := func(n int) float64 {
		b := open(t, n)
		return browser.Eval[float64](b, `unfold.times.first`) / 1000
	}
	row("first picture on loopback, 10,000 points", "≤ 0.35 s", "%.2f s", first(10_000))
	row("first picture on loopback, 200,000 points", "≤ 0.8 s", "%.2f s", first(200_000))
	row("first picture on loopback, 1,000,000 points", "≤ 1.7 s", "%.2f s", first(1_000_000))
	_, cold, warm := viewer.FirstOnSlowLine(t, browser.Open(t, browser.Settings{}), serveHub(t, hubOf(t, 200_000)), func() {})
	row("first picture of a sample of 200,000 points on slow 3G", "≤ 3 s", "%.1f s", cold)
	row("the same, with a page that was loaded before", "≤ 3 s", "%.1f s", warm)
	b := open(t, 1_000_000)
	m := browser.Eval[struct{ Frames, Hover, Draw, Least, Fine float64 }](b, `unfold.chosen.pick(10, 10), unfold.measure(5000)`)
	row("pan and zoom, 1,000,000 points, software rendering", "≥ 40 frames/s", "%.1f frames/s", m.Frames)
	row("one drawing on the way, median and least", "", "%.0f ms, %.0f ms", m.Draw, m.Least)
	row("the fine drawing when the view rests", "", "%.0f ms", m.Fine)
	row("hover, 1,000,000 points", "≤ 50 ms", "%.1f ms", m.Hover)
	chosen := browser.Eval[struct{ N, Took float64 }](b, lasso)
	row(fmt.Sprintf("lasso of %.0f points to table", chosen.N), "≤ 0.5 s", "%.2f s", chosen.Took/1000)
	l := live(t, span)
	row(fmt.Sprintf("20,000 events/s with deletes and moves, %s: latest frame", span), "≤ 1 s", "%.2f s", l.latest/1000)
	row("the same: memory of the page after a first part, and at the end", "flat", "%.0f MB, %.0f MB", l.before/1e6, l.after/1e6)
	off, idle, busy := costs(t)
	row("processor time an event, stage without a page", "", "%.2f µs", off)
	row("the same with a page that nobody opens", "≤ 10% more", "%.1f%% more", 100*idle)
	row("the same with 20 readers, in a process of their own", "≤ 10% more", "%.1f%% more", 100*busy)
	text := fmt.Sprintf(pageText, time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), strings.Join(rows, "\n"), costRounds)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

const pageText = `# What the page costs

Written by ` + "`make page-figures`" + ` on %s, with %s for %s/%s on %d processors that other programs may have used, too; only the sentences are
typed by hand. The browser is a headless Chromium without a graphics card, on the machine that serves the page. So the page draws by its own rasteriser. It has been open for two seconds before a first picture on loopback. [decisions/page.md](decisions/page.md) says how the page is made.

| what | wanted | measured |
|---|---|---|
%s

Frames are the page's own count of pictures while it pans and zooms, hover the median time to find the point under the pointer. A frame's
age is the difference between the newest arrival in it and the moment when the page has drawn it in. On the way, while the view pans and zooms, dots are
squares of whole pixels. Slow 3G is a proxy of 50 kB/s and 400 ms for a round trip. Processor time is that of the stage's process, with the broker inside it, once the page is full: the medians of %d rounds,
each of which compares runs that followed each other.
`

// open shows n points to a browser that has been open for a while: its start is no part of the
// page's first picture, and goes on after its window has opened.
func open(t *testing.T, n int) *browser.Tab {
	t.Helper()
	b := browser.Open(t, browser.Settings{})
	url := serveHub(t, hubOf(t, n))
	time.Sleep(2 * time.Second)
	b.Show(url)
	b.Wait(`unfold.times.first > 0`)
	return b
}

// hubOf returns a map of n points.
func hubOf(t *testing.T, n int) *view.Hub {
	t.Helper()
	hub := view.New(view.Settings{Size: n, Title: "figures"})
	if err := hub.Put(cloud(rand.New(rand.NewPCG(1, 1)), 0, n, 0)); err != nil {
		t.Fatal(err)
	}
	return hub
}

// cloud returns n points around twenty centres, numbered from first on.
func cloud(r *rand.Rand, first, n int, at float64) view.Rows {
	in := view.Rows{X: make([]float32, n), Y: make([]float32, n), At: at}
	ids, class, value := make([]string, n), make([]string, n), make([]float64, n)
	for i := range n {
		k := r.IntN(20)
		phi := float64(k) * 2.4
		in.X[i] = float32(math.Sqrt(float64(k+1))*8*math.Cos(phi) + 2*r.NormFloat64())
		in.Y[i] = float32(math.Sqrt(float64(k+1))*8*math.Sin(phi) + 2*r.NormFloat64())
		ids[i], class[i], value[i] = strconv.Itoa(first+i), "class "+strconv.Itoa(k), r.Float64()
	}
	in.ID = table.StringColumn("id", ids)
	in.Columns = []table.Column{table.StringColumn("class", class), table.Float64Column("novelty_global", value)}
	return in
}

func serveHub(t *testing.T, hub *view.Hub) string {
	t.Helper()
	h, err := viewer.New(viewer.Settings{Hub: hub})
	if err != nil {
		t.Fatal(err)
	}
	server, err := web.Listen(t.Context(), web.Settings{Address: "127.0.0.1:0"}, h.Over(http.NotFoundHandler()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.Close()
		server.Close()
	})
	return server.URL()
}

// lasso selects about a tenth of a million points, and waits until the table is drawn.
const lasso = `(async () => {
	const [cx, cy] = unfold.camera.toScreen(-5.9, 5.4);
	const corners = r => Array.from({length: 60}, (_, i) => [cx + r * Math.cos(i * Math.PI / 30), cy + r * Math.sin(i * Math.PI / 30)]);
	let r = 40;
	while (true) {
		const shape = corners(r).map(([x, y]) => unfold.camera.toMap(x, y));
		let n = 0;
		const [x0, y1] = unfold.camera.toMap(cx - r, cy - r), [x1, y0] = unfold.camera.toMap(cx + r, cy + r);
		unfold.store.each(s => { if (unfold.store.x[s] > x0 && unfold.store.x[s] < x1 && unfold.store.y[s] > y0 && unfold.store.y[s] < y1) n++; });
		if (n > 130000) break;
		r += 5;
	}
	const t = performance.now();
	unfold.selection.drawn(corners(r));
	await new Promise(requestAnimationFrame);
	await new Promise(requestAnimationFrame);
	return {n: unfold.drawer.count, took: performance.now() - t};
})()`

// The page stays within its bounds while points are added, moved and removed, for the duration
// UNFOLD_PAGE_LIVE: make page-live.
func TestLiveForMinutes(t *testing.T) {
	text := os.Getenv("UNFOLD_PAGE_LIVE")
	if text == "" {
		t.Skip("SKIPPED, it takes minutes: make page-live")
	}
	span, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	l := live(t, span)
	t.Logf("latest frame %.2f s, memory %.0f MB and %.0f MB", l.latest/1000, l.before/1e6, l.after/1e6)
	if l.latest > 1000 {
		t.Errorf("a frame came %.2f s late", l.latest/1000)
	}
	if l.after > 1.2*l.before+10e6 {
		t.Errorf("the page's memory grew from %.0f MB to %.0f MB", l.before/1e6, l.after/1e6)
	}
}

type lived struct{ latest, before, after float64 }

// live adds 20,000 points a second, removes a tenth of them by their ids, and moves all of them
// every ten seconds.
func live(t *testing.T, span time.Duration) lived {
	hub := view.New(view.Settings{Title: "live", Live: true})
	ctx, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() { hub.Run(ctx) })
	var put atomic.Int64
	work.Go(func() {
		r := rand.New(rand.NewPCG(2, 2))
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		version := uint64(0)
		for begun, n := time.Now(), 0; ; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			due := int(time.Since(begun).Seconds() * 20_000)
			if err := hub.Put(cloud(r, n, due-n, float64(time.Now().UnixMilli()))); err != nil {
				t.Error(err)
				return
			}
			for i := n; i < due; i += 10 {
				hub.Remove(strconv.Itoa(i - 50_000))
			}
			n = due
			put.Store(int64(n))
			if v := uint64(time.Since(begun) / (10 * time.Second)); v > version {
				version = v
				hub.Refresh(view.MapState{Version: v}, view.Base{}, func(x, y float32) (float32, float32) { return x*0.995 + 0.1, y*0.995 - 0.1 })
			}
		}
	})
	b := browser.Open(t, browser.Settings{})
	b.Show(serveHub(t, hub))
	used := func() float64 { return browser.Eval[float64](b, `(gc(), performance.memory.usedJSHeapSize)`) }
	time.Sleep(max(20*time.Second, span/5)) // the ring is full
	browser.Eval[bool](b, `(unfold.times.latest = 0, true)`)
	out := lived{before: used()}
	time.Sleep(span * 4 / 5)
	out.after, out.latest = used(), browser.Eval[float64](b, `unfold.times.latest`)
	stop()
	work.Wait()
	t.Logf("%d points came; the page has %v", put.Load(), browser.Eval[float64](b, `unfold.store.n`))
	return out
}

// Number of events in a run of the stage, of those before the page has as many points as it keeps,
// and of those in a message.
const (
	runEvents  = 500_000
	pagePoints = 200_000
	inMessages = 100
)

// costRounds is the number of rounds of costs.
const costRounds = 6

// costs measures the processor time of a stage in µs an event without a page, and the shares by
// which a page without readers, and one with twenty, increase it. Other programs slow a processor
// down for some seconds, so every round compares its own runs, every second one in reverse order.
// The results are medians.
func costs(t *testing.T) (off, idle, busy float64) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "events", "places", "dead"), kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0"}))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	sink, err := kafka.NewSink(t.Context(), kafka.SinkSettings{Cluster: kafka.Cluster{Brokers: cluster.ListenAddrs()}, Topic: "events"})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 3))
	for from := 0; from < runEvents; from += 100 * inMessages {
		var all []stream.Message
		for m := range 100 {
			x, ids, label := vec.New[float32](inMessages, 20), make([]string, inMessages), make([]string, inMessages)
			for i := range inMessages {
				k := r.IntN(10)
				ids[i], label[i] = strconv.Itoa(from+m*inMessages+i), "class "+strconv.Itoa(k)
				for j := range 20 {
					x.Row(i)[j] = float32(r.NormFloat64() + 4*float64((k*(j+1))%7))
				}
			}
			rows, err := table.NewTable(table.Origin{}, table.StringColumn("id", ids), table.StringColumn("label", label), table.VectorColumn("v", x))
			if err != nil {
				t.Fatal(err)
			}
			value, err := emit.EncodeTable(rows)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, stream.Message{TopicPartition: stream.TopicPartition{Partition: m % 2}, Value: value})
		}
		if err := sink.Write(t.Context(), all); err != nil {
			t.Fatal(err)
		}
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	kinds := []struct{ points, readers int }{{0, 0}, {pagePoints, 0}, {pagePoints, 20}}
	var results [3][]float64 // by kind
	for round := range costRounds {
		var took [3]float64
		for i := range kinds {
			if round%2 == 1 {
				i = len(kinds) - 1 - i
			}
			took[i] = cost(t, cluster.ListenAddrs(), fmt.Sprintf("g%d-%d", round, i), kinds[i].points, kinds[i].readers)
		}
		t.Logf("µs an event without a page, with one, and with readers: %.2f", took)
		results[0] = append(results[0], took[0])
		for i := 1; i < len(kinds); i++ {
			results[i] = append(results[i], took[i]/took[0]-1)
		}
	}
	for i, out := range []*float64{&off, &idle, &busy} {
		slices.Sort(results[i])
		*out = (results[i][costRounds/2-1] + results[i][costRounds/2]) / 2
	}
	return off, idle, busy
}

// cost runs a stage over all events and returns the processor time in µs an event, once the page is
// full: memory that is used for the first time costs more.
func cost(t *testing.T, brokers []string, group string, points, readers int) float64 {
	c := config.Defaults()
	c.Source.Kafka.Brokers, c.Source.Kafka.Topic, c.Source.Kafka.Group = brokers, "events", group
	c.Source.Vector, c.Source.ID, c.Source.Keep = "v", "id", []string{"label"}
	c.Sink.Kafka.Topic, c.DeadLetter.Topic = "places", "dead"
	c.Reference.Min, c.Reference.Size, c.Refresh.Every = 2000, 5000, 0
	c.HTTP, c.Page.Points = "127.0.0.1:0", points
	var delivered atomic.Int64
	var begun atomic.Int64
	done := make(chan time.Duration, 1)
	var full atomic.Int64 // the number of events that were delivered when the page was full
	hooks := stream.Hooks{
		Delivered: func(_ stream.TopicPartition, _, events int, _ time.Duration) {
			n := delivered.Add(int64(events))
			if n >= pagePoints && full.CompareAndSwap(0, n) {
				begun.Store(int64(used(t)))
			}
			if n == runEvents {
				done <- used(t)
			}
		},
	}
	mapping := ingest.Mapping{Vector: "v", Selection: ingest.Selection{ID: "id", Keep: []string{"label"}}}
	st, err := stage.Open(t.Context(), stage.Settings{Config: c, Mapping: mapping, Spec: c.Model.Spec(), Hooks: hooks})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() {
		if err := st.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	leave := viewer.StartReaders(t, "ws://"+st.Address()+"/live", readers)
	end := <-done
	leave()
	stop()
	work.Wait()
	if err := st.Close(); err != nil {
		t.Error(err)
	}
	return float64((end - time.Duration(begun.Load())).Microseconds()) / float64(runEvents-full.Load())
}

// used returns the CPU time of the process.
func used(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Error(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
