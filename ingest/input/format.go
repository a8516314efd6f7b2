package input

// Format is a file format.
type Format string

// The formats. Separated text is CSV, whatever the separator.
const (
	ArrowFile   Format = "arrow file"
	ArrowStream Format = "arrow stream"
	Parquet     Format = "parquet"
	CSV         Format = "csv"
	NPY         Format = "npy"
	NPZ         Format = "npz"
	IDX         Format = "idx"
	Market      Format = "matrix market"
	// JSON is objects as records, one per line or in a list.
	JSON Format = "json"
	// Avro is Avro's container file, FCS flow cytometry, ARFF Weka's format, and SVM libsvm's
	// lines.
	Avro Format = "avro"
	FCS  Format = "fcs"
	ARFF Format = "arff"
	SVM  Format = "libsvm"
	// Vecs has the length before each vector, and Bin the numbers of rows and columns at the
	// beginning (ANN benchmarks).
	Vecs Format = "vecs"
	Bin  Format = "bin"
	// Tensors is safetensors, and Words the word vectors of word2vec and GloVe.
	Tensors Format = "safetensors"
	Words   Format = "word vectors"
)
