package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/score"
	"unfold/stream/embed"
)

type scoreCmd struct {
	Map       string   `arg:"" help:"A map, as fit and embed write it."`
	Data      []string `placeholder:"FILE" help:"The data of the map, in the map's order: adds trustworthiness, continuity, recall, R_NX, density, correlations of distances and triplets."`
	Model     string   `short:"m" placeholder:"MODEL" help:"Encode the data's columns as this model does, instead of by the flags below."`
	Beside    string   `placeholder:"FILE" help:"A table with a row for every point of the map, in the map's order: its columns count as the map's own."`
	Label     string   `placeholder:"COL" help:"Column of the map with the class. Default: label, or the only column of the data in the map, if it has classes."`
	LabelFile []string `placeholder:"FILE" help:"Labels beside the map: IDX, .npy or CSV with one column."`
	Neighbors []int    `short:"k" default:"1,9" placeholder:"K" help:"Neighbours that vote on a point's class, or predict its numbers. Default 1,9."`
	Rank      int      `placeholder:"K" help:"Neighbours for trustworthiness, continuity and recall. Default 12, and fewer than half of the points."`
	Recall    []int    `placeholder:"K" help:"Further numbers of neighbours whose recall is measured. Default 10,30,100."`
	Target    []string `placeholder:"COL" help:"Columns of numbers: adds how well a point's neighbours predict them."`
	Truth     []string `placeholder:"COL" help:"Columns with the true positions of the points: adds the rank correlation of their distances with those on the map."`
	Train     string   `placeholder:"MAP" help:"A second map, of training points: MAP's points are classified by its points."`
	TrainRows int      `placeholder:"N" help:"The first N points of MAP are training points that classify the rest."`
	Normal    string   `placeholder:"CLASS" help:"The class that is not novel: adds the AUC by which novelty separates all others from it."`
	Sample    int      `default:"1000" placeholder:"N" help:"Points whose neighbours are compared with those in the data; 0 is all, which judges all triplets, too. Default 1000."`
	Pairs     int      `default:"2000000" placeholder:"N" help:"Pairs of points whose distances are compared, drawn at random if there are more. Default 2000000."`
	Seed      uint64   `default:"1" placeholder:"N" help:"Seed of what is drawn. Default 1."`
	Threads   int      `placeholder:"N" help:"Threads that compute; default one a core."`
	JSON      bool     `name:"json" help:"Write one JSON object."`
	textFlags
	settingFlags
	memoryFlag
}

func (scoreCmd) Help() string {
	return `How good is a map? With labels: how often a point's nearest neighbours on the map have its class (each point left
out in turn). With the data: how many neighbourhoods the map keeps (continuity, recall), how many it makes up
(trustworthiness), how many it keeps at all sizes (R_NX, 0 for a random map), whether what is dense there
is so in the data (density), how well distances correspond (Shepard by rank, Pearson), and how often the map agrees on which of two points is nearer to a third (triplets) or how far classes
are apart (centroids). What a sample estimates has its standard error behind +-. The map may be anyone's: a table with
columns embedding_0, embedding_1, or an .npy file of points by dimensions.

    unfold score map.parquet --label digit
    unfold score map.parquet --data data.parquet
    unfold score test.parquet --train train.parquet
    unfold score theirs.npy --beside faces.csv --target light,pan --truth pan,tilt`
}

func (c *scoreCmd) Run(ctx context.Context, p *program) error {
	if c.Train != "" && c.TrainRows > 0 {
		return usagef("--train and --train-rows say the same in two ways; keep one of them")
	}
	if k := slices.Min(slices.Concat(c.Neighbors, c.Recall)); k < 1 || c.Rank < 0 {
		return usagef("--neighbors, --rank, --recall: %d neighbours; give at least 1", min(k, c.Rank))
	}
	if c.Sample == 1 || c.Pairs < 2 {
		return usagef("--sample, --pairs: errors are estimated from at least 2 of each")
	}
	m, err := readMap(ctx, p, c.Map)
	if err != nil {
		return err
	}
	if c.Beside != "" {
		if err := addBeside(ctx, p, m, c.Map, c.Beside); err != nil {
			return err
		}
	}
	r := &scoreReport{Points: m.Embedding.Rows, Dims: m.Embedding.Cols}
	labels, err := c.labels(ctx, p, m)
	if err != nil {
		return err
	}
	if labels != nil {
		if err := c.accuracies(ctx, p, m, labels, r); err != nil {
			return err
		}
	}
	if len(c.Data) > 0 {
		if r.Data, err = c.structure(ctx, p, m, labels); err != nil {
			return err
		}
	}
	if err := c.numbers(ctx, p, m, r); err != nil {
		return err
	}
	if c.Normal != "" {
		if r.Novelty, err = noveltyOf(m, labels, c.Normal); err != nil {
			return fmt.Errorf("%s: %w", c.Map, err)
		}
	}
	p.progress.End()
	if labels == nil && r.Data == nil && r.Targets == nil && r.Truth == nil {
		p.note("there is nothing to measure by: name labels with --label or --label-file, numbers with --target, or the data with --data")
	}
	if c.JSON {
		return json.NewEncoder(p.jsonOut()).Encode(r)
	}
	r.print(p.people())
	return nil
}

// labels returns the map's labels, nil if it has none.
func (c *scoreCmd) labels(ctx context.Context, p *program, m *emit.Map) ([]string, error) {
	if len(c.LabelFile) > 0 {
		return readLabels(ctx, c.LabelFile, m.Len(), p.inputs())
	}
	name := c.Label
	if name == "" {
		switch name = labelOf(m); name {
		case "":
			return nil, nil
		case ingest.LabelName:
		default:
			p.note("the classes are those of the map's column %q; --label names another", name)
		}
	}
	return mapLabels(c.Map, m, name)
}

func (c *scoreCmd) accuracies(ctx context.Context, p *program, m *emit.Map, labels []string, r *scoreReport) error {
	p.progress.Stage("accuracy", "", 0)
	s := score.Settings{Seed: c.Seed, Threads: c.Threads}
	switch {
	case c.Train != "":
		train, err := readMap(ctx, p, c.Train)
		if err != nil {
			return err
		}
		known, err := mapLabels(c.Train, train, c.Label)
		if err != nil {
			return err
		}
		if known == nil {
			_, err := mapColumn(c.Train, train, ingest.LabelName)
			return err
		}
		r.HeldOut, err = heldOut(ctx, train.Embedding, known, m.Embedding, labels, c.Neighbors, s)
		return err
	case c.TrainRows > 0:
		n := m.Embedding.Rows
		if c.TrainRows >= n {
			return usagef("--train-rows: %d are no fewer than the map's %d points", c.TrainRows, n)
		}
		var err error
		r.HeldOut, err = heldOut(ctx, m.Embedding.Slice(0, c.TrainRows), labels[:c.TrainRows],
			m.Embedding.Slice(c.TrainRows, n), labels[c.TrainRows:], c.Neighbors, s)
		return err
	}
	class, names := score.Classes(labels)
	a, err := score.LeaveOneOut(ctx, m.Embedding, class, c.Neighbors, s)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Map, err)
	}
	r.Labelled = &accuracyPart{K: a.K, Accuracy: a.Share, Points: a.Points, Classes: len(names)}
	return nil
}

// rank returns the neighbours that trustworthiness and the like compare, of n points.
func (c *scoreCmd) rank(n int) (int, error) {
	const usual = 12
	most := (n - 1) / 2
	switch {
	case most < 1:
		return 0, models.BadInputf("%s: %s: neighbours of at least 3 can be compared with the data", c.Map, humanize.Plural(n, "point"))
	case c.Rank > most:
		return 0, usagef("--rank: %d neighbours of %d points; give at most %d, which is less than half of them", c.Rank, n, most)
	case c.Rank > 0:
		return c.Rank, nil
	}
	return min(usual, most), nil
}

func heldOut(ctx context.Context, train vec.Matrix[float32], trainLabels []string, test vec.Matrix[float32], testLabels []string, ks []int, s score.Settings) (*heldOutPart, error) {
	class, _ := score.Classes(slices.Concat(trainLabels, testLabels))
	errs, err := score.HeldOutError(ctx, train, class[:train.Rows], test, class[train.Rows:], ks, s)
	if err != nil {
		return nil, err
	}
	return &heldOutPart{K: ks, Error: errs, Train: train.Rows, Test: test.Rows}, nil
}

func (c *scoreCmd) structure(ctx context.Context, p *program, m *emit.Map, labels []string) (*structurePart, error) {
	data, err := c.readData(ctx, p)
	if err != nil {
		return nil, err
	}
	x := data.X
	if x.Rows != m.Embedding.Rows {
		return nil, &table.Error{Origin: table.Origin{File: c.Map}, Row: -1,
			Problem: fmt.Sprintf("the map has %s points, the data %s rows", humanize.Count(m.Embedding.Rows), humanize.Count(x.Rows)),
			Hint:    "give the files that the map was made of, in the same order"}
	}
	rank, err := c.rank(x.Rows)
	if err != nil {
		return nil, err
	}
	p.progress.Stage("structure", "", 0)
	set := score.Settings{Distance: data.Encoder.Metric().Distance(), K: rank, Recall: c.Recall, Sample: c.sample(), Pairs: c.Pairs, Seed: c.Seed, Threads: c.Threads}
	st, err := score.Measure(ctx, x, m.Embedding, set)
	if err != nil {
		return nil, err
	}
	var centroids *score.Correlation
	if class, names := score.Classes(labels); len(names) > 2 {
		if centroids, err = score.Centroids(ctx, x, m.Embedding, class, set); err != nil {
			return nil, err
		}
	}
	return newStructurePart(st, centroids), nil
}

// readData reads the data with the columns of the map's model, or of the flags.
func (c *scoreCmd) readData(ctx context.Context, p *program) (*ingest.Dataset, error) {
	options, err := c.textFlags.options(p)
	if err != nil {
		return nil, err
	}
	read := ingest.ReadOptions{Options: options}
	settings, err := p.settingsOf(c.values, dataKeys)
	if err != nil {
		return nil, err
	}
	if c.Model != "" {
		s, err := readModel(ctx, c.Model)
		if err != nil {
			return nil, err
		}
		if read.Encoder, err = embed.Encoder(s); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Model, err)
		}
		if v := settings.Source.Vector; v != "" && read.Encoder != nil { // it may have another name here
			if read.Encoder, err = read.Encoder.Reading(v); err != nil {
				return nil, usagef("--vector: %s: %s", c.Model, err)
			}
		}
	} else {
		if read.Mapping, err = mapping(settings.Source.Columns); err != nil {
			return nil, err
		}
		// As fit read the table, if it had to guess.
		inputs, err := p.expand(ctx, c.Data)
		if err != nil {
			return nil, err
		}
		if _, err := p.suggest(ctx, inputs, &read); err != nil {
			return nil, err
		}
	}
	return readAll(ctx, p, c.Data, read)
}

// noveltyOf measures how well the novelty percentiles separate the other classes from the normal
// one.
func noveltyOf(m *emit.Map, labels []string, normal string) (*noveltyPart, error) {
	switch {
	case labels == nil:
		return nil, usagef("--normal needs labels: name them with --label or --label-file")
	case m.NoveltyLocal == nil || m.NoveltyGlobal == nil:
		_, err := m.Column(emit.NoveltyGlobalName)
		return nil, err
	case !slices.Contains(labels, normal):
		classes := slices.Compact(slices.Sorted(slices.Values(labels)))
		hint := "classes are " + table.List(classes)
		if near := table.Nearest(normal, classes); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return nil, usagef("--normal: no point has the class %q; %s", normal, hint)
	}
	n := &noveltyPart{Normal: normal}
	var err error
	if n.Local, n.Normals, n.Others, err = aucOf(m.NoveltyLocal, labels, normal); err != nil {
		return nil, err
	}
	n.Global, _, _, err = aucOf(m.NoveltyGlobal, labels, normal)
	return n, err
}

// aucOf returns the area under the ROC curve of a score that separates all other classes from the
// normal one. Points without a class are ignored.
func aucOf(scores []float32, labels []string, normal string) (auc float64, normals, others int, err error) {
	var positive, negative []float64
	for i, l := range labels {
		switch l {
		case "":
		case normal:
			negative = append(negative, float64(scores[i]))
		default:
			positive = append(positive, float64(scores[i]))
		}
	}
	auc, err = score.AUC(positive, negative)
	return auc, len(negative), len(positive), err
}
