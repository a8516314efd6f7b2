package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"unfold/cmd/internal/config"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/models/budget"
	"unfold/models/fit"
)

type fitCmd struct {
	In        []string `arg:"" optional:"" name:"in" help:"Files, folders of files, patterns such as 'day-*.parquet', addresses (s3://, https://), or - for standard input."`
	Output    string   `short:"o" placeholder:"MODEL" help:"Where the model goes, such as data.unfold."`
	Map       string   `placeholder:"FILE" help:"Where the map goes: one row for each that was read, in their order. The file extension sets the format."`
	Report    string   `placeholder:"FILE" help:"Where statistics of the fit go, as one JSON object."`
	Exact     bool     `name:"report-exact" rare:"" help:"The report compares the map with the input row by row; else, of many rows, it compares a sample, with standard errors."`
	Numbers   bool     `rare:"" help:"The map gets a column point: the number of each row's point, for update --forget. Equal rows are one point."`
	LabelFile []string `group:"columns" rare:"" placeholder:"FILE" help:"Labels beside the inputs, one file for each, in their order."`
	// NeighborsFile works with kinds of model that accept neighbours.
	NeighborsFile string `group:"columns" rare:"" placeholder:"FILE" help:"Known neighbours of the rows, instead of a search: two arrays of an .npz or two columns of lists, the rows' numbers from 0 and the distances, nearest first, as in umap-learn's precomputed_knn."`
	graphFlags
	// Supervise sets source.label and model.supervision.
	Supervise string `group:"columns" placeholder:"COL" help:"Column of labels to learn the map by: empty where a row has none. It is as --label, with --supervision 0.9 unless that is given. With --kind gplvm vectors and labels are learnt in one latent space, which predicts classes by itself."`
	Classify  bool   `group:"columns" help:"Learn to predict classes from places: embed writes the class of every row, with its probability."`
	fitClusterFlags
	textFlags
	budgetFlags
	settingFlags
	frameFlag
}

func (fitCmd) Help() string {
	return `Learns a map. It is written by -o as a model, on which other rows can be placed, and by --map as a table.

Formats, recognised by content: ` + ingest.Formats() + `.

    unfold fit data.parquet -o data.unfold --map map.parquet
    unfold fit flows.csv.gz --columns '*' --log1p --standardize --label attack -o flows.unfold --map flows.parquet
    unfold fit data.parquet --clusters -o data.unfold --map map.parquet
    unfold fit today.parquet --frame data.unfold -o today.unfold --map today-map.parquet
    unfold fit huge.parquet --memory 2GiB -o huge.unfold --map map.parquet
    unfold fit --graph edges.csv -o net.unfold --map net.parquet`
}

func (c *fitCmd) Run(ctx context.Context, p *program) error {
	begin, base := time.Now(), startBytes()
	settings, err := p.settingsOf(c.values, fitKeys)
	if err != nil {
		return err
	}
	if c.Graph != "" {
		return c.graph(ctx, p, settings, begin)
	}
	switch {
	case c.graphFlags != graphFlags{}:
		return usagef("--graph-weights: it goes with --graph")
	case len(c.In) == 0:
		return usagef("expected \"<in> ...\", or a graph by --graph; see unfold fit --help")
	}
	if err := c.supervise(settings); err != nil {
		return err
	}
	frame, err := c.frameFlag.apply(settings)
	if err != nil {
		return err
	}
	if err := p.checkModel(settings); err != nil {
		return err
	}
	f := &fitRun{fitCmd: c, p: p, begin: begin, model: settings.Model, settings: settings, shares: settings.Source.ClassProbabilities, frame: frame}
	if f.groups, err = c.wanted(c.Map, settings); err != nil {
		return err
	}
	if f.limit, err = c.limit(); err != nil {
		return err
	}
	if f.read, err = c.request(p, settings); err != nil {
		return err
	}
	if f.read.Mapping.Drop && frame != "" {
		return usagef("--missing drop: a frame gives every row a place; choose mean, or leave one of them out")
	}
	if err := c.checkSupervision(f.read.Mapping, settings); err != nil {
		return err
	}
	if err := c.checkNeighbors(f.read.Mapping, settings); err != nil {
		return err
	}
	if f.inputs, err = c.paths(ctx, p, f.read.Mapping, settings, frame); err != nil {
		return err
	}
	_, f.collects = p.env("GOGC")
	if !f.collects {
		defer budget.Collect(f.limit)()
	}
	asked := f.read.Mapping.Fill
	if _, err := p.suggest(ctx, f.inputs, &f.read); err != nil {
		return err
	}
	f.fills = f.read.Mapping.Fill && !asked
	f.job = budget.Job{Spec: settings.Spec(), Scored: c.Report != "", Bits: f.read.Mapping.Metric == ingest.Hamming, Base: base, Clusters: f.groups.rowBytes(settings.Model)}
	if c.DryRun {
		s, _, err := survey(ctx, p, f.inputs, f.read, true)
		if err != nil {
			return err
		}
		return f.dryRun(ctx, s)
	}
	return f.run(ctx)
}

// checkModel returns an error for a wrong setting of the model, named as a flag. Errors about
// several settings name them themselves.
func (p *program) checkModel(c *config.Config) error {
	problem, wrong := c.ModelProblem()
	if !wrong {
		return nil
	}
	if _, one := config.Find(problem.Key, p.Kinds...); !one {
		return usagef("%s", problem.Message)
	}
	return usagef("--%s: %s", flagName(problem.Name()), problem.Message)
}

// written returns the path of the model, or else that of the map.
func (c *fitCmd) written() string { return cmp.Or(c.Output, c.Map) }

// paths checks the paths of inputs and outputs. It returns the inputs.
func (c *fitCmd) paths(ctx context.Context, p *program, m ingest.Mapping, settings *config.Config, frame string) ([]string, error) {
	if c.Map != "" {
		if _, _, err := emit.FormatOf(c.Map); err != nil {
			return nil, &usageError{err: fmt.Errorf("--map: %w", err)}
		}
		if err := c.checkMap(m, settings); err != nil {
			return nil, &usageError{err: err}
		}
	}
	switch _, _, notTable := emit.FormatOf(c.Output); {
	case c.Output == "" && c.Map == "" && !c.DryRun:
		return nil, &usageError{err: errors.New("name a file for the model by --output, for the map by --map, or both"), hint: "see unfold fit --help"}
	case c.Output == "-":
		return nil, usagef("--output: a model goes to a file")
	case c.Output != "" && notTable == nil:
		return nil, usagef("--output %s: the model is no table; --map %[1]s writes the map, and -o data.unfold the model", c.Output)
	case c.Map == "-" && c.Report == "-":
		return nil, usagef("only one of --map and --report can go to standard output")
	}
	inputs := []string{c.Graph}
	if c.Graph == "" {
		var err error
		if inputs, err = p.expand(ctx, c.In); err != nil {
			return nil, err
		}
	}
	files := []named{{"--output", c.Output}, {"--map", c.Map}, {"--report", c.Report}}
	if err := checkDifferent(files, inputs, c.LabelFile, []string{frame, c.NeighborsFile}); err != nil {
		return nil, err
	}
	if !c.DryRun {
		if err := checkWritable(c.Output, c.Map, c.Report); err != nil {
			return nil, err
		}
	}
	return inputs, nil
}

// request returns the options for reading the rows.
func (c *fitCmd) request(p *program, settings *config.Config) (ingest.ReadOptions, error) {
	var o ingest.ReadOptions
	var err error
	if o.Options, err = c.textFlags.options(p); err != nil {
		return o, err
	}
	if o.Mapping, err = mapping(settings.Source.Columns); err != nil {
		return o, err
	}
	if kind, err := settings.Model.Entry(); err == nil {
		o.Mapping.Missing = kind.Missing && settings.Source.Missing == "auto" && o.Mapping.Metric == ""
	}
	if len(c.LabelFile) > 0 && o.Mapping.Label != "" {
		return o, usagef("labels come both from --label and from --label-file; keep one of them")
	}
	o.LabelFiles, o.Sparse = c.LabelFile, fit.DefaultPCA
	own := settings.Model.Spec().PredictsClasses()
	if c.Classify || own {
		if !own && len(c.LabelFile) == 0 && o.Mapping.Label == "" {
			return o, usagef("--classify: name the labels by --label or --label-file")
		}
		kept := append([]string{o.Mapping.Label}, o.Mapping.Keep...)
		if err := emit.CheckClasses(kept); err != nil {
			return o, &usageError{err: err}
		}
		if settings.Source.ClassProbabilities {
			if err := emit.CheckClassShares(kept); err != nil {
				return o, &usageError{err: err}
			}
		}
	} else if settings.Source.ClassProbabilities {
		return o, usagef("--class-probabilities: no classes are predicted; add --classify")
	}
	return o, nil
}

// checkMap returns an error if a kept column has the name of one of the map's own columns.
func (c *fitCmd) checkMap(m ingest.Mapping, settings *config.Config) error {
	keep := append([]string{m.Label}, m.Keep...)
	if c.Numbers {
		if err := checkPointName(keep); err != nil {
			return err
		}
	}
	if slices.Contains(keep, UnlearntName) && settings.Model.Components == "largest" {
		return fmt.Errorf("column %q cannot be kept: with --components largest the map has a column of that name itself; rename it in the input", UnlearntName)
	}
	return emit.CheckText(c.Map, keep)
}
