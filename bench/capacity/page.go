package main

import (
	"fmt"
	"math"
	"strings"

	"unfold/bench/internal/relay"
)

// model is the cost model with measured figures, in seconds of processor time per event.
type model struct {
	place, carry, broker, learn float64
}

// model derives the cost per event from the fleet of one embedder, so that it predicts the others.
// The share of placing comes from a profile. (Measuring placing alone and subtracting it would be
// inaccurate, because the rest is less than the error of measurement.)
func (f *Figures) model() model {
	one := f.Passes[0]
	m := model{broker: one.Broker, learn: f.Learning.Read}
	for _, s := range f.Shares {
		if s.Part == relay.Placing {
			m.place = one.Own * s.Share
		}
	}
	m.carry = one.Own - m.place
	return m
}

// embedder returns an embedder's cost per event.
func (m model) embedder() float64 { return m.place + m.carry }

// rate returns the number of events per second that embedders place on the cores that they share
// with the broker. None of them uses more cores than there are.
func (m model) rate(cores int) float64 { return float64(cores) / (m.embedder() + m.broker) }

func us(seconds float64) string { return fmt.Sprintf("%.2f", seconds*1e6) }

// count formats a number with separators of thousands.
func count(v float64) string {
	text := fmt.Sprintf("%.0f", v)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

const target = 1e6

// page writes docs/capacity.md.
func (f *Figures) page() string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	m := f.model()
	kafka := "an embedded broker"
	if f.Kafka != "" {
		kafka = "Apache Kafka " + f.Kafka + ", one node"
	}
	p("# How much a fleet can do, and what it takes\n\n")
	p("Written by `make capacity` on %s, on a machine of %d cores with %s; all figures are measured. Messages of %d events of %d float32;\n"+
		"a map of %s points in two dimensions. One process learns, the others place: [operations.md](operations.md), \"More than one process\".\n"+
		"Spark places rows of files: [python-times.md](python-times.md), \"A billion rows\".\n\n",
		f.Day.Format("2006-01-02"), f.Cores, kafka, eventRows, Dim, count(float64(f.Learning.Points)))
	p("## The model\n\nCosts are processor time for an event, so they add up. Each part can have as many cores as it needs.\n\n")
	p("| part | grows with | us an event here |\n|---|---|---|\n")
	p("| an embedder: place(n, dim) | points n (linearly by exact search, as its root by cells), dim | %s |\n", us(m.place))
	p("| an embedder: read, decode, encode, write | bytes of an event, events a message | %s |\n", us(m.carry))
	p("| the broker, one copy of the data | bytes of an event in and out | %s |\n", us(m.broker))
	p("| the learner: read, decode, offer | bytes of an event | %s |\n", us(m.learn))
	p("| the learner: a refresh of %s points, stored and announced | n, dim; every `refresh.every` | %.2f s a refresh |\n\n", count(float64(f.Learning.Points)), f.Learning.Refresh)
	p("The cost of an event is the embedder's processor time divided by the number of placed events. A profile divides it: %s.\n"+
		"As a check: placing alone on the same map, without a stage around it, takes %s us; the two ways differ by %.0f%%.\n\n",
		relay.Sentence(f.Shares, "%.1f"), us(f.Fleet.Seconds), 100*math.Abs(f.Fleet.Seconds/m.place-1))
	p("So an embedder places 1 / (place + rest) = %s events/s for each core it has, and cores that embedders share with a broker\n"+
		"1 / (place + rest + broker) = %s each.\n\n", count(1/m.embedder()), count(1/(m.embedder()+m.broker)))
	f.placingTable(p)
	f.checkTable(p, m)
	f.million(p, m)
	return b.String()
}

func (f *Figures) placingTable(p func(string, ...any)) {
	p("## Placing by points and dimension\n\nProcessor time of placing alone, in calls of 1000 events on all cores, on maps of other points than the fleet's. A snapshot's size is that of\n" +
		"the stored file. Size and dimension of a map decide whether cells or all points are searched.\n\n")
	p("| points n | dim | neighbours by | us an event | events/s a core | snapshot, MB | bytes a point |\n|---|---|---|---|---|---|---|\n")
	for _, v := range f.Placing {
		p("| %s | %d | %s | %s | %s | %.2f | %.0f |\n", count(float64(v.Points)), v.Dim, v.Search, us(v.Seconds), count(1/v.Seconds), float64(v.Bytes)/1e6, float64(v.Bytes)/float64(v.Points))
	}
	p("\n")
}

func (f *Figures) checkTable(p func(string, ...any), m model) {
	p("## Checked at 1, 2 and 4 processes\n\nEmbedders as processes of their own, on the same %d cores as the broker. The model is fitted to the cost of one process and predicts the\n"+
		"others.\n\n", f.Cores)
	p("| embedders | events/s | the model | us an event, embedders | the model | us an event, broker |\n|---|---|---|---|---|---|\n")
	worst, worstCPU := 0.0, 0.0
	for i, v := range f.Passes {
		p("| %d | %s | %s | %s | %s | %s |\n", v.Embedders, count(v.Rate), count(m.rate(f.Cores)), us(v.Own), us(m.embedder()), us(v.Broker))
		worst = max(worst, math.Abs(v.Rate/m.rate(f.Cores)-1))
		if i > 0 {
			worstCPU = max(worstCPU, math.Abs(v.Own/m.embedder()-1))
		}
	}
	p("\nAn event costs the same for any number of embedders (within %.0f%% here), and\n"+
		"their rate is what %d cores allow (within %.0f%%). Whether rates add up over several machines is not measured; embedders share only the broker and the store.\n\n",
		100*worstCPU, f.Cores, 100*worst)
}

func (f *Figures) million(p func(string, ...any), m model) {
	const machine, share = 8, 0.7
	cores := target * m.embedder()
	embedders := math.Ceil(cores / share / machine)
	snapshot := float64(f.Fleet.Bytes)
	const every = 10
	p("## A million events a second\n\nThe same events and map, machines of %d cores with a load of at most %.0f%%, %d s between maps.\n\n", machine, 100*share, every)
	p("| part | how it is reckoned | what it takes |\n|---|---|---|\n")
	p("| embedders | 10^6 x %s us | %.1f cores busy: %.0f machines, at least %.0f partitions |\n", us(m.embedder()), cores, embedders, embedders)
	p("| brokers, three copies | 10^6 x %s us x 3 | %.1f cores busy: %.0f machines |\n", us(m.broker), 3*target*m.broker, max(3, math.Ceil(3*target*m.broker/share/machine)))
	p("| network into the brokers | three copies: 3 x (%.0f + %.0f bytes) x 10^6 | %.1f GB/s |\n", f.In, f.Out, 3*(f.In+f.Out)*target/1e9)
	p("| network out of them | embedders and learner read: 2 x %.0f bytes x 10^6; two brokers copy: 2 x (%.0f + %.0f bytes) x 10^6 | %.1f GB/s, and %.2f GB/s for each reader of the places |\n",
		f.In, f.In, f.Out, 2*(2*f.In+f.Out)*target/1e9, f.Out*target/1e9)
	p("| the learner | 10^6 x %s us, and %.2f s every %d s | %.1f cores busy |\n", us(m.learn), f.Learning.Refresh, every, target*m.learn+f.Learning.Refresh/every)
	p("| the store | %.0f embedders x %.1f MB every %d s | %.1f MB/s |\n\n", embedders, snapshot/1e6, every, embedders*snapshot/1e6/every)
	p("One learner process read %s events/s here, beside the broker on %d cores. ", count(f.Learning.Rate), f.Cores)
	if target*m.learn > machine*share {
		p("At a million it would take more than one machine of %d cores has: let it read a topic with a share of\n"+
			"the events (`source.kafka.topic` of its own), since the map is learnt from a sample of bounded size anyway.\n", machine)
	} else {
		p("A learner that falls behind delays maps and nothing else: embedders do not wait for it. If it\n" +
			"cannot follow, let it read a topic with a share of the events (`source.kafka.topic` of its own): the map is learnt from a sample of bounded size anyway.\n")
	}
}
