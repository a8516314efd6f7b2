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
	// Avro is a container file, FCS flow cytometry's, ARFF Weka's, SVM libsvm's lines.
	Avro Format = "avro"
	FCS  Format = "fcs"
	ARFF Format = "arff"
	SVM  Format = "libsvm"
	// Vecs has the length before each vector, Bin rows and length before all (ANN benchmarks).
	Vecs Format = "vecs"
	Bin  Format = "bin"
	// Tensors is safetensors, Words word2vec's and GloVe's vectors of words.
	Tensors Format = "safetensors"
	Words   Format = "word vectors"
)
