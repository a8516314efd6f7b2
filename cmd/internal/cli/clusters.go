package cli

import (
	"context"
	"slices"

	"unfold/cmd/internal/config"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/input"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models/clusters"
)

type clustersCmd struct {
	In        []string `arg:"" name:"in" help:"A map, or data: files, patterns such as 'day-*.parquet', or - for standard input."`
	Output    string   `short:"o" placeholder:"FILE" help:"Where the clusters go: one row for each that was read, in their order. The file extension sets the format."`
	New       []string `placeholder:"FILE" help:"Rows to assign to the clusters, such as the places of new events: the output has these rows, each with the cluster that it joins."`
	LabelFile []string `group:"columns" placeholder:"FILE" help:"Labels beside the inputs, one file for each, in their order. The summary compares clusters with labels."`
	Threads   int      `placeholder:"N" help:"Threads that compute; default one a core."`
	memoryFlag
	clusterFlags
	clusterTreeFlags
	textFlags
	settingFlags
}

func (clustersCmd) Help() string {
	return `Finds groups of rows that lie densely together, at all densities: HDBSCAN*. What lies between them is noise, cluster -1.
The rows may be those of a map, also of one that another program made, or data. Of a map its places are taken, of other files
the columns that are named as for fit. Columns id and label pass through, where there are such.

    unfold clusters map.parquet -o clusters.parquet
    unfold plot map.parquet -o clusters.png --beside clusters.parquet --color cluster
    unfold clusters theirs.csv --columns x,y --min-size 20
    unfold clusters map.parquet --new places.parquet -o joined.parquet`
}

func (c *clustersCmd) Run(ctx context.Context, p *program) error {
	settings, err := p.settingsOf(c.values, clusterKeys)
	if err != nil {
		return err
	}
	set, err := c.clusterFlags.settings("", c.Threads, c.more)
	if err != nil {
		return err
	}
	read, err := c.request(p, settings)
	if err != nil {
		return err
	}
	inputs, err := c.paths(ctx, p)
	if err != nil {
		return err
	}
	if !c.Distances {
		if _, err := p.suggest(ctx, inputs, &read); err != nil {
			return err
		}
	}
	of, err := c.find(ctx, p, inputs, read, set)
	if err != nil {
		return err
	}
	data, found := of.data, of.found
	cols := data.X.Cols
	if data.Sparse != nil {
		cols = data.Sparse.M()
	}
	report := newClusterReport(found, set.Of(len(found.Label)), cols)
	if err := report.compare(found, data.Label); err != nil {
		return err
	}
	if err := of.describe(ctx, read.Mapping.Label, c.Threads); err != nil {
		return err
	}
	report.call(of.names)
	if err := c.write(ctx, p, of, read, report); err != nil {
		return err
	}
	p.progress.End()
	w := p.people()
	if c.Output == "-" {
		w = p.Stderr
	}
	report.print(w)
	return nil
}

// more sets the settings of the hierarchy.
func (c *clustersCmd) more(s *clusters.Settings) {
	s.AllowSingle, s.MaxSize, s.EpsilonMax, s.Ties, s.Lengths = c.AllowSingle, c.MaxSize, c.EpsilonMax, clusters.Ties(c.Ties), true
	s.Persistence = c.Persistence
}

// request returns the options for reading the rows.
func (c *clustersCmd) request(p *program, settings *config.Config) (read ingest.ReadOptions, err error) {
	if read.Options, err = c.textFlags.options(p); err != nil {
		return read, err
	}
	if read.Mapping, err = mapping(settings.Source.Columns); err != nil {
		return read, err
	}
	read.Mapping.OfMap, read.Double = true, ingest.Rounded
	read.LabelFiles = c.LabelFile
	if c.Distances {
		if read.Mapping.Metric != "" && read.Mapping.Metric != ingest.Euclidean || read.Mapping.Standardize {
			return read, usagef("--distances: the rows are distances, which --metric and --standardize would change")
		}
		read.Mapping.AsIs, read.Sparse = true, 1
	}
	return read, checkClusterNames(append([]string{read.Mapping.Label}, read.Mapping.Keep...))
}

// paths checks inputs and outputs. It returns the paths of the inputs.
func (c *clustersCmd) paths(ctx context.Context, p *program) ([]string, error) {
	inputs, err := p.expand(ctx, c.In)
	if err != nil {
		return nil, err
	}
	if slices.Contains(inputs, "-") && slices.Contains(c.New, "-") {
		return nil, usagef("--new: standard input holds the rows that clusters are found from")
	}
	if c.Joins && len(c.New) == 0 {
		return nil, usagef("--joins: name files of new rows by --new")
	}
	if len(c.New) > 0 && c.Output == "" {
		return nil, usagef("--new: name a file for the rows' clusters by --output")
	}
	for _, path := range slices.Concat(inputs, c.New) {
		if err := notModel(path); err != nil {
			return nil, err
		}
	}
	outputs := c.outputs()
	if c.Output != "" {
		outputs = append(outputs, named{"--output", c.Output})
	}
	if err := checkDifferent(outputs, inputs, c.New, c.LabelFile); err != nil {
		return nil, err
	}
	for _, o := range outputs {
		format, _, err := emit.FormatOf(o.path)
		if err != nil {
			return nil, &usageError{err: err}
		}
		if format == input.NPY {
			return nil, usagef("%s: .npy holds no columns of several types; take .parquet, .csv or another", o.flag)
		}
		if err := checkWritable(o.path); err != nil {
			return nil, err
		}
	}
	return inputs, nil
}

// write writes the clusters of the rows or, with --new, of the new rows, and the hierarchy.
func (c *clustersCmd) write(ctx context.Context, p *program, of *foundClusters, read ingest.ReadOptions, r *clusterReport) error {
	outputs := &transaction{stdout: p.Stdout}
	defer outputs.abort()
	if err := c.clusterTreeFlags.write(outputs, of.found, r.set); err != nil {
		return err
	}
	if c.Output == "" {
		return outputs.commit()
	}
	found, data := of.found, of.data
	columns := append(clusterColumns(found.Label, found.Probability), table.Float32Column(emit.ClusterOutlierName, vec.Convert[float32](vec.Of(1, len(found.Outlier), found.Outlier)).Data))
	if len(c.New) > 0 {
		var err error
		if data, columns, err = c.join(ctx, p, of, read, r); err != nil {
			return err
		}
	}
	o := &emit.Output{ID: data.ID, Kept: append(data.Kept, columns...), Embedding: vec.Matrix[float32]{Rows: columns[0].Len()}}
	if err := p.noteHeld(c.Output, o); err != nil {
		return err
	}
	r.output = c.Output
	if err := outputs.writeMap(c.Output, o); err != nil {
		return err
	}
	return outputs.commit()
}

// hasColumn reports whether a file has a column.
func hasColumn(ctx context.Context, path string, o ingest.ReadOptions, name string) (bool, error) {
	if name == "" || input.ReadOnce(path) {
		return true, nil
	}
	r, err := ingest.Open(ctx, path, o.Options)
	if err != nil {
		return false, err
	}
	defer r.Close()
	_, there := r.Schema().Find(name)
	return there, nil
}

// join reads new rows and predicts their clusters.
func (c *clustersCmd) join(ctx context.Context, p *program, of *foundClusters, read ingest.ReadOptions, r *clusterReport) (*ingest.Dataset, []table.Column, error) {
	data := of.data
	read.LabelFiles = nil
	there, err := hasColumn(ctx, c.New[0], read, read.Mapping.Label)
	if err != nil {
		return nil, nil, err
	}
	if !there { // predictions need no labels
		read.Mapping.Label = ""
	}
	if m := read.Mapping; len(m.Columns) > 0 || m.Standardize || m.Fill {
		read.Encoder = data.Encoder.With(m.Selection)
	} // otherwise vectors are read as they are, even coordinates in columns of another name
	if read.Double = ingest.Never; data.Wide.Rows > 0 {
		read.Double = ingest.Always
	}
	added, err := readAll(ctx, p, c.New, read)
	if err != nil {
		return nil, nil, err
	}
	if added.Sparse != nil {
		return nil, nil, table.Origin{File: c.New[0]}.Bad("it is a sparse matrix, and predictions need the distances of new rows from all rows").Suggest("name a file with all of them")
	}
	p.progress.Stage("predict", "", 0)
	m, err := of.predictor(ctx, added)
	if err != nil {
		return nil, nil, fitError(c.New, err)
	}
	r.joined(m)
	columns := clusterColumns(m.Label, m.Probability)
	if c.Joins {
		columns = append(columns, joinColumns(m)...)
	}
	return added, columns, nil
}
