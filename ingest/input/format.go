package input

// Format is a file format.
type Format string

// The formats. Text files are CSV whatever separates their fields.
const (
	ArrowFile   Format = "arrow file"
	ArrowStream Format = "arrow stream"
	Parquet     Format = "parquet"
	CSV         Format = "csv"
	NPY         Format = "npy"
	NPZ         Format = "npz"
	IDX         Format = "idx"
	Market      Format = "matrix market"
	// JSON is records as objects, on lines or in a list.
	JSON Format = "json"
)
