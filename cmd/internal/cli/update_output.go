package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models/snapshot"
	"unfold/stream/embed"
)

// PointName is the column with the point number of each row.
const PointName = "point"

func pointColumn[T int | int32](point []T) table.Column {
	numbers := make([]int64, len(point))
	for i, p := range point {
		numbers[i] = int64(p)
	}
	return table.Int64Column(PointName, numbers)
}

// checkPointName returns an error if a kept column has the name of the column of point numbers.
func checkPointName(keep []string) error {
	if slices.Contains(keep, PointName) {
		return fmt.Errorf("column %q cannot be kept: the numbers of points are in a column of that name; rename it in the input", PointName)
	}
	return nil
}

// write writes the model and the requested outputs. Either all of them appear, or none.
func (u *updating) write(ctx context.Context) error {
	outputs := &transaction{stdout: u.p.Stdout}
	defer outputs.abort()
	if err := outputs.write(u.Output, func(w io.Writer) error { return snapshot.Write(w, u.after) }); err != nil {
		return err
	}
	if u.Map != "" {
		if err := u.writePlaces(ctx, outputs); err != nil {
			return err
		}
	}
	if u.Points != "" {
		if err := outputs.writeMap(u.Points, u.points()); err != nil {
			return err
		}
	}
	if u.Report != "" {
		err := outputs.write(u.Report, func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", "  ")
			return e.Encode(u.report)
		})
		if err != nil {
			return err
		}
	}
	return outputs.commit()
}

// writePlaces places the added rows on the updated map.
func (u *updating) writePlaces(ctx context.Context, outputs *transaction) error {
	if len(u.inputs) == 0 {
		return usagef("--map: no rows come; --points writes those of the map")
	}
	e, err := embedderOf(u.after, u.Model, u.Map, u.settings, embed.Explain{})
	if err != nil {
		return err
	}
	w, err := createMap(u.Map, u.p.Stdout, len(u.inputs) == 1)
	if err != nil {
		return err
	}
	outputs.outputs = append(outputs.outputs, pendingFile{u.Map, w.Close, w.Abort})
	u.p.progress.Stage("place", "rows", int64(len(u.came)))
	n := &numberedWriter{Writer: w, point: u.came}
	for _, path := range u.inputs {
		if err := e.file(ctx, u.p, path, u.options, table.Column{}, n); err != nil {
			return err
		}
	}
	return nil
}

// numberedWriter adds the column of point numbers to its outputs.
type numberedWriter struct {
	emit.Writer
	point []int // of the rows not written yet
}

func (w *numberedWriter) Write(o *emit.Output) error {
	n := o.Len()
	if n > len(w.point) {
		return errors.New("the files grew while they were read")
	}
	out := *o
	out.Kept = append(slices.Clone(o.Kept), pointColumn(w.point[:n]))
	w.point = w.point[n:]
	return w.Writer.Write(&out)
}

// points returns the points of the map, a row for each.
func (u *updating) points() *emit.Output {
	at := u.live.Points()
	n := len(at.ID)
	rows, sigma, mu := make([]int64, n), make([]float32, n), vec.Convert[float32](u.after.Mu)
	for i := range n {
		rows[i], sigma[i] = int64(at.Count[i]), float32(at.Sigma[i])
	}
	o := &emit.Output{
		Kept: []table.Column{pointColumn(at.ID), table.Int64Column("rows", rows)}, Embedding: mu, Sigma: sigma,
		Epoch: u.after.Epoch, Version: u.after.Version, MapID: u.after.MapID,
	}
	if u.after.IDs != nil {
		o.ID = table.StringColumn(emit.IDName, u.after.IDs)
	}
	return o
}
