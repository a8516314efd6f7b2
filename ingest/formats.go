package ingest

import (
	"strings"

	"unfold/ingest/ann"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/avrofile"
	"unfold/ingest/csv"
	"unfold/ingest/fcs"
	"unfold/ingest/idx"
	"unfold/ingest/input"
	"unfold/ingest/jsonrec"
	"unfold/ingest/libsvm"
	"unfold/ingest/matrix"
	"unfold/ingest/npy"
	"unfold/ingest/parquet"
	"unfold/ingest/record"
	"unfold/ingest/table"
	"unfold/ingest/tensors"
	"unfold/ingest/words"
)

// fileFormat is an input format of files.
type fileFormat struct {
	format input.Format
	// names are the extensions of its files, or its name if there are none; "" if another row names
	// it. A file with the extension of a binary format is not text.
	names  string
	binary bool
	// is recognizes the format by the file's name or its lines. It is nil for a format with a
	// signature (input.Recognize), and for text of unknown format.
	is func(in *input.Source, head []byte) bool
	// seeks is true if the file is read from its end, so that it cannot be compressed.
	seeks bool
	open  func(in *input.Source, o Options) (table.Reader, error)
}

// fileFormats are all formats, in the order of error messages and of recognition.
var fileFormats = []fileFormat{
	{format: input.ArrowFile, names: ".arrow .arrows .feather .ipc", binary: true, seeks: true, open: func(in *input.Source, o Options) (table.Reader, error) {
		return arrowfmt.NewFileReader(in, o.BatchRows, o.Memory)
	}},
	{format: input.ArrowStream, open: func(in *input.Source, o Options) (table.Reader, error) {
		return arrowfmt.NewStreamReader(in, o.BatchRows, o.Memory)
	}},
	{format: input.Parquet, names: ".parquet", binary: true, seeks: true, open: func(in *input.Source, o Options) (table.Reader, error) {
		return parquet.NewReader(in, o.BatchRows, o.Memory)
	}},
	{format: input.CSV, names: ".csv", open: func(in *input.Source, o Options) (table.Reader, error) {
		return csv.NewReader(in, o.CSV, o.BatchRows, o.inferred)
	}},
	{format: input.JSON, names: ".jsonl", open: openJSON},
	{format: input.NPY, names: ".npy", binary: true, open: byRows(npy.NewReader)},
	{format: input.NPZ, names: ".npz", binary: true, seeks: true, open: byRows(npy.NewArchiveReader)},
	{format: input.Market, names: ".mtx", binary: true, open: byRows(matrix.NewMarketReader)},
	{format: input.IDX, names: ".idx", binary: true, open: byRows(idx.NewReader)},
	{format: input.Vecs, names: ".fvecs .bvecs .ivecs", binary: true, is: isANN(input.Vecs), open: byRows(ann.NewReader)},
	{format: input.Bin, names: ".fbin .u8bin", binary: true, is: isANN(input.Bin), open: byRows(ann.NewReader)},
	{format: input.Tensors, names: ".safetensors", binary: true, is: byHead(tensors.Is), open: byRows(tensors.NewReader)},
	{format: input.ARFF, names: ".arff", is: byHead(csv.IsARFF), open: func(in *input.Source, o Options) (table.Reader, error) {
		return csv.NewARFFReader(in, o.CSV, o.BatchRows, o.inferred)
	}},
	{format: input.Avro, names: ".avro", open: func(in *input.Source, o Options) (table.Reader, error) {
		return avrofile.NewReader(in, jsonrec.FileOptions{BatchRows: o.BatchRows, Memory: o.Memory, LookBytes: o.CSV.InferBytes})
	}},
	{format: input.FCS, names: ".fcs", binary: true, open: byRows(fcs.NewReader)},
	{format: input.Words, names: "word2vec", is: byHead(words.Is), open: byRows(words.NewReader)},
	{format: input.SVM, names: "libsvm", is: byHead(libsvm.Is), open: byRows(libsvm.NewReader)},
}

// byRows adapts a reader that needs only the batch size as an option.
func byRows[R table.Reader](open func(in *input.Source, batchRows int) (R, error)) func(*input.Source, Options) (table.Reader, error) {
	return func(in *input.Source, o Options) (table.Reader, error) {
		r, err := open(in, o.BatchRows)
		if err != nil {
			return nil, err
		}
		return r, nil
	}
}

// byHead adapts a format that is recognized by its first bytes.
func byHead(is func(head []byte) bool) func(*input.Source, []byte) bool {
	return func(_ *input.Source, head []byte) bool { return is(head) }
}

// isANN recognizes a form of package ann by the file's name.
func isANN(format input.Format) func(*input.Source, []byte) bool {
	return func(in *input.Source, head []byte) bool { f, is := ann.Is(in, head); return is && f == format }
}

// formatOf returns the row of a format.
func formatOf(format input.Format) fileFormat {
	for _, f := range fileFormats {
		if f.format == format {
			return f
		}
	}
	panic("ingest: no row for the format " + string(format))
}

// byContent returns the format that is recognized by a function; "" for none.
func byContent(in *input.Source, head []byte) input.Format {
	for _, f := range fileFormats {
		if f.is != nil && f.is(in, head) {
			return f.format
		}
	}
	return ""
}

// isBinaryName reports whether an extension is that of a binary format. Unsupported files of signed
// bytes have such extensions, too.
func isBinaryName(ext string) bool {
	for _, f := range fileFormats {
		for name := range strings.FieldsSeq(f.names) {
			if f.binary && name == ext {
				return true
			}
		}
	}
	return ext == ".i8bin"
}

// Formats lists the formats of files in words.
func Formats() string {
	var extensions, names []string
	for _, f := range fileFormats {
		switch {
		case strings.HasPrefix(f.names, "."):
			extensions = append(extensions, f.names)
		case f.names != "":
			names = append(names, f.names)
		}
	}
	packed := input.Packings()
	return strings.Join(append([]string{strings.Join(extensions, " ")}, names...), ", ") +
		" (text, .npy, .mtx, .idx and .arrows also in " + strings.Join(packed[:len(packed)-1], ", ") + " and " + packed[len(packed)-1] + ")"
}

// openFormat returns the reader of a source's format. It closes the source if there is none.
func openFormat(in *input.Source, o Options) (r table.Reader, err error) {
	defer func() {
		if err != nil {
			in.Close()
		}
	}()
	format, err := recognize(in, o.CSV.Encoding)
	if err != nil {
		return nil, err
	}
	f := formatOf(format)
	if f.seeks && in.Packed != "" {
		return nil, in.Origin.Bad("%s inside %s cannot be read", input.NameOf(format), in.Packed).Suggest("%s first: it is read from its end",
			map[string]string{"gzip": "gunzip it", "zstd": "unzstd it", "bzip2": "bunzip2 it", "xz": "unxz it", "lz4": "unlz4 it"}[in.Packed])
	}
	return f.open(in, o)
}

func openJSON(in *input.Source, o Options) (table.Reader, error) {
	types, err := jsonTypes(o.CSV.Types)
	if err != nil {
		return nil, err
	}
	return jsonrec.NewReader(in, jsonrec.FileOptions{BatchRows: o.BatchRows, Memory: o.Memory, Types: types, LookBytes: o.CSV.InferBytes}, o.looked)
}

// jsonTypes returns types that were set for text columns as types of records.
func jsonTypes(set map[string]string) (map[string]record.Type, error) {
	if err := csv.CheckTypes(set); err != nil {
		return nil, err
	}
	out := map[string]record.Type{}
	for name, t := range set {
		out[name], _ = record.TypeOf(t)
	}
	return out, nil
}
