package table

// Odd describes the first value in a column of a text file whose kind differs from that of most
// values: a text among numbers.
type Odd struct {
	Kind Kind // kind of most values: Number or Bool
	Text string
	// Row counts from 0, Line from 1.
	Row, Line int64
	// Of is the number of values that were examined, Fit that of values of the kind.
	Of, Fit int64
	Why     string
}

// OddValue returns the error for a column that must be encoded but has a value of another kind, or
// nil.
func (o Origin) OddValue(f Field) *Error {
	if f.Odd == nil {
		return nil
	}
	what := map[Kind]string{Number: "a number", Bool: "a boolean"}[f.Odd.Kind]
	e := o.BadColumn(f.Name, "%q is not %s", Clip(f.Odd.Text), what)
	e.Row, e.Line = f.Odd.Row, f.Odd.Line
	if f.Odd.Why != "" {
		return e.Suggest("%s", f.Odd.Why)
	}
	if f.Odd.Row == 0 && f.Odd.Line > 1 {
		return e.Suggest("%d of the %d values looked at are: if this line has the names say so: --csv-skip %d; else correct it, or say that this stands for no value: --missing-values '%s', or that the column holds categories: --types %s=string",
			f.Odd.Fit, f.Odd.Of, f.Odd.Line-1, Clip(f.Odd.Text), f.Name)
	}
	return e.Suggest("%d of the %d values looked at are: correct this one, leave the column out, say that it holds categories: --types %s=string; or that this stands for no value: --missing-values '%s'",
		f.Odd.Fit, f.Odd.Of, f.Name, Clip(f.Odd.Text))
}
