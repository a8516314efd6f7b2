package ingest

import (
	"context"

	"unfold/ingest/csv"
	"unfold/ingest/jsonrec"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/sparse"
)

// Dataset is all rows of some files in memory, encoded, as a model is fitted on them.
type Dataset struct {
	// Batch contains all rows in the order of the files. If labels came from label files, Kept
	// contains the column "label".
	Batch
	// Sparse are the rows if they stay sparse (ReadOptions.Sparse); X is then empty.
	Sparse *sparse.Rows
	// Wide are the rows in double precision, before anything is subtracted, if ReadOptions.Double
	// asks for them. Otherwise it is empty.
	Wide vec.Matrix[float64]
	// Lost describes rows that differ only in double precision; nil if there are none.
	Lost *Lost
	// Encoder is the given encoder, or the one that was fitted on these rows.
	Encoder *Encoder
	// Files are the numbers of rows of each file.
	Files []FileRows
	// Left are the columns that "*" omitted when Encoder was fitted. Holes are those whose missing
	// values were filled in then.
	Left  []Left
	Holes []Hole
	// Guesses are sentences that describe uncertain guesses about the format of text files.
	Guesses []string
	// Dropped is the number of rows that were dropped because a value was missing.
	Dropped int
	// Drawn is the sample of the files' rows that the dataset has (ReadOptions.Most). It is nil if
	// the dataset has all rows. Blank and Dropped count all rows of the files.
	Drawn *Drawn

	// hashes are the hashes of the rows as given, if X may have rounded them.
	hashes []uint64
}

// FileRows is the number of rows of a file, including those that were not drawn.
type FileRows struct {
	Path string
	Rows int
}

// ReadOptions are the options of ReadAll.
type ReadOptions struct {
	Options
	// Mapping selects the columns to use. With Encoder only its Selection counts.
	Mapping Mapping
	// Encoder is an encoder that was fitted before, or nil to fit one on the data.
	Encoder *Encoder
	// Sparse is the number of elements above which sparse rows stay sparse; 0 turns all of them
	// into full rows. It applies to files with sparse matrices and to columns of sparse vectors.
	Sparse int
	// Double selects whether the rows are also returned in double precision.
	Double Double
	// LabelFiles are files with labels, one for each data file in order.
	LabelFiles []string
	// Most, if not nil, returns the largest number of rows to keep. Its arguments are the number of
	// rows of all files and the length of a vector. If there are more rows, that many are drawn
	// with Seed and stay in the order of the files. Sparse rows are never drawn. Drawn rows are
	// always in single precision.
	Most func(rows, dim int) (int, error)
	Seed uint64
	// Room, if not nil, allocates the matrix for the rows.
	Room func(rows, cols int) vec.Matrix[float32]
	// Progress, if not nil, is called with the number of rows read so far. In the stage "survey"
	// the total is unknown (0); the second stage is "read".
	Progress func(stage string, done, total int64)
}

// Double selects when rows are read in double precision.
type Double int

// The zero value is Never. Rounded means only if single precision changes a value.
const (
	Never Double = iota
	Rounded
	Always
)

// ReadAll reads files into memory. It reads them twice unless the number of rows is known and
// nothing has to be fitted. So it needs memory for one float32 matrix and no second copy; only
// standard input is kept as read.
//
// Errors about the data are *Error.
func ReadAll(ctx context.Context, paths []string, opts ReadOptions) (*Dataset, error) {
	if len(paths) == 0 {
		return nil, table.Origin{}.Bad("no input is named")
	}
	if len(opts.LabelFiles) > 0 && len(opts.LabelFiles) != len(paths) {
		return nil, table.Origin{}.Bad("there are %d label files for %d inputs", len(opts.LabelFiles), len(paths)).
			Suggest("name one label file for each input, in the same order")
	}
	opts.inferred, opts.looked = map[string]csv.Inferred{}, map[string]jsonrec.Columns{}
	l := &loader{ctx: ctx, opts: opts, paths: paths}
	if opts.Sparse > 0 {
		if d, are, err := l.sparse(); are || err != nil {
			return d, err
		}
	}
	if err := l.survey(); err != nil {
		return nil, err
	}
	return l.load()
}
