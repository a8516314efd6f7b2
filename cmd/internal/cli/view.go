package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/logs"
	"unfold/cmd/internal/viewer"
	"unfold/cmd/internal/web"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/clusters"
	"unfold/models/clusters/identity"
	"unfold/models/fit"
	"unfold/models/pca"
	"unfold/models/snapshot"
	"unfold/stream/embed"
	"unfold/stream/view"
)

type viewCmd struct {
	shownFlags
	attachedFlags
	accessFlags
	Model   string `placeholder:"FILE" help:"The model of the map. The page asks it why a point is novel, and where a record would go. Default: the model of this map in the map's folder (*.unfold), if there is one."`
	Compare string `placeholder:"FILE" help:"Another map or model of the same points, shown beside this one: of another method, or other settings. Points are matched by id or, without ids, by row."`
	Listen  string `default:"127.0.0.1:8070" placeholder:"HOST:PORT|unix:PATH" help:"Where to serve the page; port 0 takes a free one. Default 127.0.0.1:8070, for this machine alone."`
}

// shownFlags select the map to show.
type shownFlags struct {
	Map        string   `arg:"" help:"A map of this program or another (Parquet, Arrow, CSV, JSON lines), or a model."`
	Places     []string `placeholder:"COL,COL" help:"The columns of the coordinates. Default: embedding, or a pair such as x and y, or the only column of vectors."`
	ID         string   `name:"id" placeholder:"COL" help:"The column that identifies points. Default: id, if there is one."`
	Title      string   `placeholder:"TEXT" help:"Title of the page. Default: the file's name."`
	Image      string   `placeholder:"WxH" help:"The vectors are the pixels of pictures of this width and height, such as 28x28. Default: square pictures are recognized."`
	ImagesFrom []string `placeholder:"ORIGIN,..." help:"Origins, such as https://images.example.org, from which the page may load the pictures whose addresses are in a column. They see which pictures are looked at. Default: none."`
	Point      string   `placeholder:"NAME" default:"row" help:"Noun for one point in the page's first sentence, such as sentence or digit. Default row."`
	memoryFlag
	// numbered gives rows without ids their numbers, so that another map can be matched.
	numbered bool
	// pictures are those of the map that was read last, nil for none.
	pictures *pictures
	// asked is the model that readers can ask, nil if nobody asks.
	asked *askedModel
}

func (viewCmd) Help() string {
	return `Serves a page that shows a map: points by any column's colours, with legend, search, selections and what sets them apart. The
page needs no internet. A map of another program has columns x and y, a pair such as UMAP1 and UMAP2, or one column of vectors.

    unfold view map.parquet
    unfold view umap.csv --places UMAP1,UMAP2 --id name
    unfold view map.parquet --compare umap.csv
    unfold view data.unfold --listen 127.0.0.1:0`
}

// grace allows requests in progress to finish.
func (viewCmd) grace() time.Duration { return graceTime + endTime }

func (c *viewCmd) Run(ctx context.Context, p *program) error {
	if c.Attached && c.Map == "-" {
		return usagef("--attached: standard input is the map; give a file")
	}
	ctx, stop := c.tie(ctx, p)
	defer stop()
	if c.Map == "-" && c.Compare == "-" {
		return usagef("--compare: standard input is the map; give a file")
	}
	c.numbered = c.Compare != ""
	to, err := opening(ctx, func() (web.Access, error) { return c.access(c.Listen) })
	if err != nil {
		return err
	}
	c.asked = &askedModel{path: c.Model}
	hub, err := c.hub(ctx, p)
	if err != nil {
		return err
	}
	place, vector, err := c.asked.answers(ctx, p, hub)
	if err != nil {
		return err
	}
	other, err := c.other(ctx, p, hub)
	if err != nil {
		return err
	}
	log, err := logs.New(p.Stderr, logs.Settings{})
	if err != nil {
		return err
	}
	shown, err := viewer.New(viewer.Settings{Hub: hub, Place: place, Vector: vector, Picture: c.pictures.picture(), Other: other})
	if err != nil {
		return err
	}
	pages := web.Handler(func() (string, error) { return "", nil }, nil)
	server, err := web.Listen(ctx, web.Settings{Address: c.Listen, Access: to, Log: log}, shown.Over(pages))
	if err != nil {
		return err
	}
	logs.Say(log, slog.LevelInfo, logs.Serving, fmt.Sprintf("%s at %s", humanize.Plural(hub.Len(), "point"), server.URL()), slog.String(logs.Address, server.Address()))
	ended, err := c.probes(ctx, log)
	if err != nil {
		return errors.Join(err, server.Close())
	}
	<-ctx.Done()
	shown.Close()
	return errors.Join(ended(), server.Close())
}

// other reads the map of --compare, nil if there is none.
func (c *viewCmd) other(ctx context.Context, p *program, hub *view.Hub) (*view.Hub, error) {
	if c.Compare == "" {
		return nil, nil
	}
	s := c.shownFlags
	s.Map, s.Title, s.Places, s.asked = c.Compare, "", nil, nil
	if isModel(c.Compare) {
		s.ID = ""
	}
	other, err := s.hub(ctx, p)
	if err != nil {
		return nil, err
	}
	if n := hub.Common(other); n < view.LeastCommon {
		return nil, usagef("--compare: %s and %s have %s in common; a comparison needs %d", c.Compare, c.Map, humanize.Plural(n, "id"), view.LeastCommon)
	}
	return other, nil
}

// hub reads the map to show, and looks for the model to ask.
func (c *shownFlags) hub(ctx context.Context, p *program) (*view.Hub, error) {
	image, err := view.ParseImage(c.Image)
	if err != nil {
		return nil, usagef("--image: %v", err)
	}
	if err := view.CheckOrigins(c.ImagesFrom); err != nil {
		return nil, usagef("--images-from: %v", err)
	}
	title := cmp.Or(c.Title, strings.TrimSuffix(filepath.Base(c.Map), filepath.Ext(c.Map)))
	if c.Map != "-" && isModel(c.Map) {
		return c.model(ctx, title, image, p)
	}
	if err := p.vet(ctx, c.Map); err != nil {
		return nil, err
	}
	m, err := ingest.ReadShown(ctx, c.Map, p.inputs(), c.ID, c.Places...)
	if err != nil {
		return nil, err
	}
	if m.At, err = twoDims(ctx, p, m.At); err != nil {
		return nil, err
	}
	c.pictures = picturesOf(m)
	c.pictures.note(p)
	if err := c.asked.find(c.Map, m.MapID); err != nil {
		return nil, err
	}
	hub := view.New(view.Settings{
		Size: m.At.Rows, Title: title, Point: c.Point, Image: image, Vectors: vectorBytes, Pictures: c.pictures != nil, PicturesFrom: c.ImagesFrom,
		Asks: c.asked.known(), Label: classesOf(c.asked.model(c.Map, m.MapID)),
	})
	first := 0
	for _, part := range m.Parts {
		in := shownRows(m, part, first)
		if c.pictures != nil {
			in.Columns = slices.DeleteFunc(in.Columns, func(of table.Column) bool { return slices.Contains(c.pictures.columns, of.Name()) })
		}
		if (c.numbered || c.pictures != nil || c.asked.known()) && !in.ID.Valid() {
			in.ID = rowNumbers(first, part.Len())
		}
		if err := hub.Put(in); err != nil {
			return nil, err
		}
		first += part.Len()
	}
	return hub, showClusters(ctx, hub, m)
}

// showClusters names the clusters of a map that has a cluster column.
func showClusters(ctx context.Context, hub *view.Hub, m *emit.Shown) error {
	all, err := table.ConcatTables(m.Parts...)
	if err != nil {
		return err
	}
	column, there := all.Column(emit.ClusterName)
	if !there || column.Kind() != table.Number && column.Kind() != table.Text {
		return nil
	}
	in := clustersIn(column)
	var kept []table.Column
	for _, c := range all.Columns() {
		if !slices.Contains([]string{"", m.ID, emit.SigmaName, emit.NoveltyLocalName, emit.NoveltyGlobalName}, c.Name()) {
			kept = append(kept, c)
		}
	}
	names, err := in.names(ctx, kept)
	if err != nil {
		return err
	}
	living := make([]view.Cluster, len(in.ids))
	for k, id := range in.ids {
		living[k] = view.Cluster{ID: id, Name: names[k]}
	}
	for i, k := range in.of {
		if row := m.At.Row(i); k >= 0 && vec.Finite(row) {
			c := &living[k]
			c.Size++
			c.X, c.Y = c.X+(row[0]-c.X)/float32(c.Size), c.Y+(row[1]-c.Y)/float32(c.Size)
		}
	}
	slices.SortStableFunc(living, func(a, b view.Cluster) int { return cmp.Compare(b.Size, a.Size) })
	hub.SetClusters(view.Clusters{Column: emit.ClusterName, Living: living})
	return nil
}

// shownRows returns the rows of a part of a map. first is the index of its first row.
func shownRows(m *emit.Shown, part *table.Table, first int) view.Rows {
	n := part.Len()
	in := view.Rows{X: make([]float32, n), Y: make([]float32, n)}
	for i := range n {
		row := m.At.Row(first + i)
		in.X[i], in.Y[i] = row[0], row[1]
	}
	in.Vectors = onlyVectors(part)
	for _, c := range part.Columns() {
		switch c.Name() {
		case m.ID:
			if m.ID != "" {
				in.ID = c
			}
		case "":
		default:
			in.Columns = append(in.Columns, c)
		}
	}
	return in
}

// rowNumbers returns the numbers of rows as ids, as those of a model's points without ids.
func rowNumbers(first, n int) table.Column {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = strconv.Itoa(first + i)
	}
	return table.StringColumn("id", ids)
}

// vectorBytes bounds the memory of a map's vectors. The page draws vectors that are pictures.
const vectorBytes = 1 << 30

// onlyVectors returns the vectors of a table with exactly one column of vectors, or none if their
// lengths differ.
func onlyVectors(t *table.Table) (all vec.Matrix[float32]) {
	names := t.Schema().Of(table.Vector)
	if len(names) != 1 || t.Len() == 0 {
		return all
	}
	c, _ := t.Column(names[0])
	row := table.VectorRows(c)
	n := len(row(0))
	for i := range t.Len() {
		v := row(i)
		if len(v) != n || n == 0 {
			return vec.Matrix[float32]{}
		}
		for _, value := range v {
			all.Data = append(all.Data, float32(value))
		}
	}
	all.Rows, all.Cols = t.Len(), n
	return all
}

// twoDims reduces places to their first two principal components.
func twoDims(ctx context.Context, p *program, at vec.Matrix[float32]) (vec.Matrix[float32], error) {
	if at.Cols == 2 {
		return at, nil
	}
	finite := placed(at)
	if finite.Rows < 3 {
		return at, &table.Error{Row: -1, Problem: fmt.Sprintf("%s with places are too few to flatten %d dimensions", humanize.Plural(finite.Rows, "row"), at.Cols), Hint: "name two columns with --places"}
	}
	fitted, err := pca.Fit(ctx, finite, 2, pca.Settings{})
	if err != nil {
		return at, err
	}
	p.note("the places have %d dimensions; the page shows their first two principal components", at.Cols)
	return fitted.Projector().Apply(at, 0), nil
}

// model shows the points of a model.
func (c *shownFlags) model(ctx context.Context, title string, image view.Image, p *program) (*view.Hub, error) {
	if len(c.Places) > 0 || c.ID != "" {
		return nil, usagef("--places and --id go with a map; %s is a model, which knows its points", c.Map)
	}
	if err := c.asked.is(c.Map); err != nil {
		return nil, err
	}
	m, err := openModel(c.Map, fit.With(p.Kinds...))
	if err != nil {
		return nil, err
	}
	s := m.s
	if s.Mu.Cols < 2 {
		return nil, usagef("%s has one dimension; a page needs two: learn it with --dims 2", c.Map)
	}
	hub := view.New(view.Settings{Size: s.Mu.Rows, Title: title, Point: c.Point, Image: image, Asks: c.asked.known(), PicturesFrom: c.ImagesFrom})
	in := modelRows(s, m.at)
	if err := addClassColumns(ctx, &in, s, m.at); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Map, err)
	}
	if err := hub.Put(in); err != nil {
		return nil, err
	}
	hub.Refresh(view.MapState{ID: s.MapID, Epoch: s.Epoch, Version: s.Version}, view.Base{}, nil)
	if m.groups == nil {
		return hub, nil
	}
	stats, _ := embed.StatsOf(s)
	known, err := new(viewer.Course).Follow(m.groups, s.Mu, s.Version, stats.At)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Map, err)
	}
	hub.SetClusters(known)
	return hub, nil
}

// modelRows returns the points of a model as rows.
func modelRows(s *snapshot.Snapshot, m *embed.Map) view.Rows {
	n := s.Mu.Rows
	in := view.Rows{X: make([]float32, n), Y: make([]float32, n)}
	sigma, events := make([]float64, n), make([]float64, n)
	for i := range n {
		row := s.Mu.Row(i)
		in.X[i], in.Y[i] = float32(row[0]), float32(row[1])
		events[i] = float64(s.Count[i])
	}
	for i, v := range s.Published2() {
		sigma[i] = v
	}
	// Placement responses use the same names: ids or point numbers.
	ids := make([]string, n)
	for i := range ids {
		ids[i] = m.PointID(i)
	}
	in.ID = table.StringColumn("id", ids)
	in.Columns = []table.Column{table.Float64Column("variance", sigma)}
	if slices.Max(events) > 1 {
		in.Columns = append(in.Columns, table.Float64Column("events", events)) // else each point is one event
	}
	if g := m.Clusters(); g != nil {
		of := make([]int64, n)
		for i := range of {
			if of[i] = int64(g.Point(i)); g.Point(i) == identity.Noise {
				of[i] = int64(clusters.Noise)
			}
		}
		in.Columns = append(in.Columns, table.Int64Column(emit.ClusterName, of))
	}
	return in
}

// addClassColumns adds the predicted classes of the model's points, if it predicts classes.
func addClassColumns(ctx context.Context, in *view.Rows, s *snapshot.Snapshot, m *embed.Map) error {
	c := m.Classes()
	if c == nil {
		return nil
	}
	at := models.Placed{Mu: vec.Convert[float32](s.Mu), Sigma: make([]float32, s.Mu.Rows), Seen: s.Reference}
	for i, v := range s.Published2() {
		at.Sigma[i] = float32(math.Sqrt(v))
	}
	p, err := c.PredictNames(ctx, at, nil, false, 0)
	if err != nil {
		return err
	}
	in.Columns = append(in.Columns, table.StringColumn(emit.ClassName, p.Class), table.Float32Column(emit.ClassProbabilityName, p.Probability),
		table.Float32Column(emit.ClassEntropyName, p.Entropy))
	return nil
}
