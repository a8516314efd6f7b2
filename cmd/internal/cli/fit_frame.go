package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"reflect"
	"slices"

	"github.com/alecthomas/kong"

	"unfold/cmd/internal/config"
	"unfold/models/prior"
)

// frameKey is the setting that --frame accepts the values of. The flag accepts file names, too.
const frameKey = "model.frame"

// frameFlag is the --frame flag of a fit: a value of the setting, a table of coordinates, or a
// model.
type frameFlag struct {
	Frame kong.Plugins `embed:""`
}

// newFrameFlag returns the flag of the frame setting, extended to accept files.
func newFrameFlag() frameFlag {
	key, _ := config.Find(frameKey)
	const files = " A table gives coordinates to rows, by id or in their order, a model the places on its map; what has none is free."
	field := flagOf(key, "frame", "model", helpOf(key)+files, placeholder(key)+"|FILE|MODEL")
	return frameFlag{kong.Plugins{reflect.New(reflect.StructOf([]reflect.StructField{field})).Interface()}}
}

// given returns the value of the flag, "" if it was not given.
func (c frameFlag) given() string {
	if v, _ := reflect.ValueOf(c.Frame[0]).Elem().Field(0).Interface().(*string); v != nil {
		return *v
	}
	return ""
}

// apply sets the frame in the settings if the flag is a value of the setting. Otherwise it returns
// the path of the file and sets the frame to pca, so that only kinds with a frame accept it.
func (c frameFlag) apply(settings *config.Config) (file string, err error) {
	key, _ := config.Find(frameKey)
	given := c.given()
	if given == "" {
		return "", nil
	}
	wrong := key.Set(settings, given)
	if wrong == nil {
		return "", nil
	}
	if _, err := os.Stat(given); given != "-" && errors.Is(err, fs.ErrNotExist) {
		return "", usagef("--frame: %v, and there is no such file", wrong)
	}
	return given, key.Set(settings, prior.PCA.String())
}

// holdInput buffers standard input if --frame names a file, because a model as the frame reads the
// rows twice.
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

// readFrame reads the known coordinates of rows and sets them as the frame of the fit.
func (f *fitRun) readFrame(ctx context.Context) error {
	if f.frame == "" {
		return nil
	}
	read := f.read
	if f.held != nil {
		read.Stdin = bytes.NewReader(f.held)
		f.held = nil
	}
	rows := f.data.Len()
	if f.edges != nil {
		rows = f.edges.Weights.N
	}
	at, report, err := frameOf(ctx, f.p, f.frame, framed{
		inputs: f.inputs, read: read, rows: rows, id: f.data.ID, dims: f.job.Spec.Dims, threads: f.job.Spec.Threads,
	})
	if err != nil {
		return err
	}
	f.given = report
	for _, near := range []*prior.Settings{&f.job.Spec.LVM.Student.Prior, &f.job.Spec.LVM.Saul.Prior} {
		near.Frame, near.Given, near.Schedule = prior.Given, at, near.Schedule.Firmly()
	}
	f.clock.lap("frame")
	return nil
}
