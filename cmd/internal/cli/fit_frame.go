package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"unfold/cmd/internal/config"
	"unfold/models/prior"
)

// frameKey is the setting whose words a fit's --frame takes beside the names of files.
const frameKey = "model.frame"

// frameFlag is a fit's --frame: a word of the setting, a table of coordinates or a model.
type frameFlag struct {
	Frame string `group:"model" choices:"auto,none,pca,mds,geodesic" placeholder:"auto|none|pca|mds|geodesic|FILE|MODEL" help:"What keeps the whole of the map in shape, a map known beforehand that places are held near, ever less: pca are principal components; mds are distances; geodesic are distances along the data, which unroll a sheet. A table gives coordinates to rows, by id or in their order, a model the places on its map; what has none is free. auto is geodesic where the data are a curved sheet and else pca; with gaussian tails none. Default auto."`
}

// apply sets the frame in the settings, where it is a word, or else returns the file that
// it names. Whatever the file, it goes with the kinds of model that a frame goes with.
func (c frameFlag) apply(settings *config.Config) (file string, err error) {
	key, _ := config.Find(frameKey)
	if c.Frame == "" {
		return "", nil
	}
	wrong := key.Set(settings, c.Frame)
	if wrong == nil {
		return "", nil
	}
	if _, err := os.Stat(c.Frame); c.Frame != "-" && errors.Is(err, fs.ErrNotExist) {
		return "", usagef("--frame: %v, and there is no such file", wrong)
	}
	return c.Frame, key.Set(settings, prior.PCA.String())
}

// holdInput keeps standard input, which has to be read twice if a model is to place the
// rows that come by it.
func (f *fitRun) holdInput() error {
	if f.frame == "" || !slices.Contains(f.inputs, "-") {
		return nil
	}
	if f.frame == "-" {
		return usagef("--frame: standard input holds the rows to be learnt")
	}
	all, err := io.ReadAll(f.p.Stdin)
	f.held = all
	f.read.Stdin = bytes.NewReader(all)
	return err
}

// readFrame reads what the rows' coordinates are known to be, and has them learnt near it.
func (f *fitRun) readFrame(ctx context.Context) error {
	if f.frame == "" {
		return nil
	}
	read := f.read
	if f.held != nil {
		read.Stdin = bytes.NewReader(f.held)
		f.held = nil
	}
	at, report, err := frameOf(ctx, f.p, f.frame, framed{
		inputs: f.inputs, read: read, rows: f.data.X.Rows, id: f.data.ID, dims: f.job.Spec.Dims, threads: f.job.Spec.Threads,
	})
	if err != nil {
		return err
	}
	f.given = report
	for _, near := range []*prior.Settings{&f.job.Spec.LVM.Student.Prior, &f.job.Spec.LVM.Saul.Prior} {
		near.Frame, near.Given, near.Schedule = prior.Given, at, prior.Firm()
	}
	f.clock.lap("frame")
	return nil
}
