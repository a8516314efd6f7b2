package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models/clusters/describe"
	"unfold/models/clusters/identity"
	"unfold/stream"
	"unfold/stream/format"
)

// medoids is the number of events that represent a cluster: those nearest to its centre.
const medoids = 5

// emitGroups emits the cluster events of the newest map: a record under the id of each cluster that
// has changed, and a last record and a tombstone for one that has ended. If writing fails, all
// living clusters are retried before the next refresh, so records are delivered at least once. It
// returns an error only if the topic permanently rejects a record.
func (p *publisher) emitGroups(ctx context.Context) error {
	if p.set.Groups == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	cur := p.current.Load()
	if cur == nil || cur.at.Clusters() == nil {
		return nil
	}
	all := p.groupsPending
	p.groupsPending = true
	parent := ctx
	ctx, cancel := context.WithTimeout(parent, movesPatience)
	defer cancel()
	messages, err := p.groupMessages(ctx, cur, all)
	if err == nil && len(messages) > 0 {
		err = p.set.Groups.Write(ctx, messages)
	}
	var refused *stream.RefusedError
	if errors.As(err, &refused) {
		return fmt.Errorf("emitting clusters: %w", refused)
	}
	if err != nil {
		if parent.Err() == nil {
			p.failed(fmt.Errorf("emitting clusters: %w", err))
		}
		return nil
	}
	p.groupsPending = false
	return nil
}

// groupMessages returns the messages of all living clusters, or only of those that the newest map
// has changed, and of those that have ended.
func (p *publisher) groupMessages(ctx context.Context, cur *published, all bool) ([]stream.Message, error) {
	var changed []groupNote
	for _, n := range cur.groups.Living {
		if (all || n.Version == cur.Version) && len(n.Centre) > 0 {
			changed = append(changed, n)
		}
	}
	records, err := p.in.groupRecords(ctx, cur, changed, p.set.spec().Threads)
	if err != nil {
		return nil, err
	}
	for _, n := range cur.groups.Ended {
		records = append(records, groupRecord{note: n, ended: true})
	}
	var out []stream.Message
	wire := p.in.wire()
	for _, r := range records {
		value, contentType, err := p.set.GroupsWriter.Encode(ctx, r.output(cur), wire)
		if err != nil {
			return nil, err
		}
		m := stream.Message{
			Key: []byte(strconv.FormatUint(uint64(r.note.ID), 10)), Value: value, Time: cur.At.Truncate(time.Millisecond),
			Headers: append([]stream.Header{{Key: stream.HeaderContentType, Value: []byte(contentType)}}, cur.Headers()...),
		}
		if out = append(out, m); r.ended {
			m.Value = nil
			out = append(out, m)
		}
	}
	return out, nil
}

// wire returns the format in which messages are written now.
func (in *intake) wire() format.Wire {
	in.mu.Lock()
	defer in.mu.Unlock()
	return format.Wire{Format: in.format}
}

// groupRecord is the record that is emitted for a cluster.
type groupRecord struct {
	note    groupNote
	size    int
	share   float64 // of the map's points
	about   describe.Description
	medoids []string // ids
	ended   bool
}

// output converts a record to a row. The place is the centre. Epoch and version are those of its
// map, which is older if the record is repeated or the cluster has ended.
func (r groupRecord) output(cur *published) *emit.Output {
	var traits, labels []string
	var votes []int64
	for _, t := range r.about.Traits {
		traits = append(traits, t.String())
	}
	for _, v := range r.about.Labels {
		labels, votes = append(labels, v.Label), append(votes, int64(v.Rows))
	}
	other := int64(r.note.Other)
	if r.note.Other == identity.Noise {
		other = -1
	}
	return &emit.Output{
		ID: table.Int64Column(emit.IDName, []int64{int64(r.note.ID)}),
		Kept: []table.Column{
			table.StringColumn("name", []string{r.about.Name()}),
			table.StringColumn("event", []string{string(r.note.Event)}), table.Int64Column("other", []int64{other}),
			table.Int64Column("size", []int64{int64(r.size)}), table.Float32Column("share", []float32{float32(r.share)}),
			table.TimeColumn("first_seen", []time.Time{r.note.First}), table.TimeColumn("last_seen", []time.Time{r.note.Last}),
			table.TextListColumn("medoids", [][]string{r.medoids}), table.TextListColumn("traits", [][]string{traits}),
			table.TextListColumn("labels", [][]string{labels}), table.Int64ListColumn("votes", [][]int64{votes}),
		},
		Embedding: vec.Convert[float32](vec.Of(1, len(r.note.Centre), r.note.Centre)),
		Epoch:     r.note.Epoch, Version: r.note.on(), MapID: cur.MapID,
	}
}

// groupRecords returns the records of living clusters. Common properties of their points come from
// the reference set at the time when the map was published, or now.
func (in *intake) groupRecords(ctx context.Context, cur *published, notes []groupNote, threads int) (out []groupRecord, err error) {
	if len(notes) == 0 {
		return nil, nil
	}
	about := cur.about
	if about == nil {
		if about, err = in.aboutGroups(ctx, cur, threads); err != nil {
			return nil, err
		}
	}
	g := cur.at.Clusters()
	size := map[identity.ID]int{}
	for _, c := range g.State.Clusters {
		size[c.ID] = c.Size
	}
	label := labelsOf(g)
	near := nearestTo(cur, clusterOf(g, label), notes, label)
	in.nameRows(near)
	out = make([]groupRecord, len(notes))
	for k, n := range notes {
		out[k] = groupRecord{note: n, size: size[n.ID], share: float64(size[n.ID]) / float64(g.Points())}
		if l, there := label[n.ID]; there {
			out[k].about = about[l]
			out[k].medoids = slices.DeleteFunc(near[l].ids, func(id string) bool { return id == "" })
		}
	}
	return out, nil
}

// aboutGroups describes the clusters of a map, by label.
func (in *intake) aboutGroups(ctx context.Context, cur *published, threads int) ([]describe.Description, error) {
	g := cur.at.Clusters()
	data := describe.Data{Count: len(g.ID), Cluster: clusterOf(g, labelsOf(g))}
	in.known(cur, &data)
	return describe.Describe(ctx, data, describe.Settings{Threads: threads})
}

// labelsOf maps the ids of a map's clusters to their labels.
func labelsOf(g *identity.Groups) map[identity.ID]int32 {
	label := make(map[identity.ID]int32, len(g.ID))
	for l, id := range g.ID {
		label[id] = int32(l)
	}
	return label
}

// clusterOf returns the cluster label of each point of a map, -1 for noise.
func clusterOf(g *identity.Groups, label map[identity.ID]int32) []int32 {
	out := make([]int32, g.Memory.Rows())
	for i := range out {
		out[i] = -1
		if l, there := label[g.Point(i)]; there {
			out[i] = l
		}
	}
	return out
}

// nearby are the rows of a cluster that are nearest to its centre, with their ids.
type nearby struct {
	rows []int32
	ids  []string
}

// nearestTo returns, by label, the nearby rows of the clusters of notes. They are nearest to the
// centres on the present map, from which the noted centres may differ.
func nearestTo(cur *published, cluster []int32, notes []groupNote, label map[identity.ID]int32) []nearby {
	mu, out := cur.snapshot.Mu, make([]nearby, len(label))
	centres := centresOf(cur.at.Clusters(), mu)
	for _, n := range notes {
		l, there := label[n.ID]
		if !there {
			continue
		}
		var rows []int32
		for i, c := range cluster {
			if c == l {
				rows = append(rows, int32(i))
			}
		}
		slices.SortFunc(rows, func(a, b int32) int {
			at := centres[n.ID]
			return cmp.Or(cmp.Compare(vec.SquaredDistance(mu.Row(int(a)), at), vec.SquaredDistance(mu.Row(int(b)), at)), cmp.Compare(a, b))
		})
		out[l].rows = rows[:min(medoids, len(rows))]
		out[l].ids = make([]string, len(out[l].rows))
	}
	return out
}

// known sets the vectors and labels of a map's rows from the reference set. Rows that have left it
// get NaN and no label.
func (in *intake) known(cur *published, data *describe.Data) {
	n := len(data.Cluster)
	for _, e := range cur.at.Encoder().Elements() {
		data.Columns = append(data.Columns, describe.Column{Name: e.Column, Category: e.Category, Indicator: e.Text})
	}
	if len(data.Columns) > 0 {
		data.X = vec.New[float32](n, len(data.Columns))
		for i := range data.X.Data {
			data.X.Data[i] = float32(math.NaN())
		}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	names, class := in.labelNames(), in.rowClasses(n)
	if class != nil {
		data.Label = make([]string, n)
		for i, k := range class {
			if k != noClass {
				data.Label[i] = names[k]
			}
		}
	}
	for p := range in.ref.All() {
		if row := in.ref.Row(p); row >= 0 && int(row) < n && data.X.Rows > 0 {
			copy(data.X.Row(int(row)), in.ref.Vector(p))
		}
	}
}

// nameRows sets the ids of the newest events of rows, if the reference set knows them.
func (in *intake) nameRows(near []nearby) {
	ids := make(map[int32]*string)
	for _, c := range near {
		for k, row := range c.rows {
			ids[row] = &c.ids[k]
		}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	for p := range in.ref.All() {
		to := ids[in.ref.Row(p)]
		if own := in.ref.IDs(p); to != nil && len(own) > 0 {
			*to = own[len(own)-1]
		}
	}
}
