package input

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"regexp"
	"slices"
	"unicode/utf8"
)

// Signature is a format that is identified by its first bytes.
type Signature struct {
	Magic string
	// At is the offset of Magic. Binary is true if text may also begin with Magic, so that the
	// bytes after it must not be text.
	At     int
	Binary bool
	// Is is the name of the format, for a message "this is ...".
	Is string
	// Format is the input format; "" if it is not supported.
	Format Format
	// File is the advice for an unsupported file. Message is the advice for a message, if it
	// differs from the general one.
	File, Message string
}

// compressed is the advice for messages that their producer has compressed.
const compressed = "let the producer compress (compression.type), not the one who calls it"

// signatures are the known formats. Text has no signature.
var signatures = []Signature{
	{Magic: "ARROW1", Is: "an Arrow file", Format: ArrowFile, Message: "write a stream: pyarrow.ipc.new_stream, or write_ipc_stream of polars"},
	{Magic: "\xff\xff\xff\xff", Is: "an Arrow stream", Format: ArrowStream},
	{Magic: "PAR1", Is: "a Parquet file", Format: Parquet},
	{Magic: "PARE", Is: "an encrypted Parquet file", Format: Parquet},
	{Magic: "\x93NUMPY", Is: "a NumPy array (.npy)", Format: NPY},
	{Magic: "PK\x03\x04", Is: "a zip archive", Format: NPZ},
	{Magic: "PK\x05\x06", Is: "a zip archive", Format: NPZ},
	{Magic: "%%Matrix", Is: "a Matrix Market file", Format: Market},

	{Magic: "FCS2.0", Is: "an FCS file", Format: FCS},
	{Magic: "FCS3.", Is: "an FCS file", Format: FCS},

	{Magic: "\xfd7zXZ\x00", Is: "compressed by xz", File: "unpack it first: xz -d", Message: compressed},
	{Magic: "7z\xbc\xaf\x27\x1c", Is: "a 7z archive", File: "unpack it first: 7z x FILE"},
	{Magic: "Rar!\x1a\x07", Is: "a RAR archive", File: "unpack it first: unrar x FILE"},
	{Magic: "ustar", At: 257, Binary: true, Is: "a tar archive", File: "unpack it first: tar -xf FILE"},
	{Magic: "\xff\x06\x00\x00sNaPpY", Is: "compressed by snappy", File: "unpack it first: python -m snappy -d FILE", Message: compressed},
	{Magic: "\x1f\x9d", Is: "compressed by compress (.Z)", File: "unpack it first: gunzip FILE", Message: compressed},
	{Magic: "LZIP", Binary: true, Is: "compressed by lzip", File: "unpack it first: lzip -d FILE", Message: compressed},
	{Magic: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Is: "an Excel workbook of the old kind (.xls)", File: "save it as CSV or Parquet: " + byPandas("read_excel")},
	{Magic: "ORC", Is: "an ORC file", File: "convert it to Parquet: " + byPandas("read_orc")},
	{Magic: "FEA1", Is: "a Feather file of version 1", File: "write version 2: pyarrow.feather.write_feather(pyarrow.feather.read_table(FILE), \"out.arrow\")"},
	{Magic: "Obj\x01", Is: "an Avro file", Format: Avro},
	{Magic: "\x89HDF\r\n\x1a\n", Is: "an HDF5 file", File: hdf5},
	{Magic: "MATLAB 7.3 MAT-file", Is: "a MATLAB file of version 7.3, which is HDF5", File: "save the array as .npy: numpy.save(\"x.npy\", h5py.File(FILE)[\"NAME\"][:].T); or in MATLAB: writematrix(x, \"x.csv\")"},
	{Magic: "MATLAB 5.0 MAT-file", Is: "a MATLAB file", File: "save the array as .npy: numpy.save(\"x.npy\", scipy.io.loadmat(FILE)[\"NAME\"]); or in MATLAB: writematrix(x, \"x.csv\")"},
	{Magic: "SQLite format 3\x00", Is: "an SQLite database", File: "export the table as CSV: sqlite3 -header -csv FILE \"select * from TABLE\" > out.csv"},
	{Magic: "DUCK", At: 8, Binary: true, Is: "a DuckDB database", File: "export the table: duckdb FILE -c \"copy TABLE to 'out.parquet'\""},
	{Magic: "X\n\x00\x00\x00", Is: rData, File: rConvert("readRDS(\"FILE\")")},
	{Magic: "RDX2\n", Is: rData, File: rConvert("get(load(\"FILE\"))")},
	{Magic: "RDX3\n", Is: rData, File: rConvert("get(load(\"FILE\"))")},
	{Magic: "RDA2\n", Is: rData, File: rConvert("get(load(\"FILE\"))")},
	{Magic: "RDA3\n", Is: rData, File: rConvert("get(load(\"FILE\"))")},
	{Magic: "\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00", At: 12, Is: "a SAS table (sas7bdat)", File: "convert it to Parquet: " + byPandas("read_sas")},
	{Magic: "HEADER RECORD*******LIB", Is: "a SAS transport file", File: "convert it to Parquet: " + byPandas("read_sas")},
	{Magic: "<stata_dta>", Is: "a Stata table (dta)", File: stata},
	{Magic: "$FL2", Is: "an SPSS table (sav)", File: "convert it to Parquet: " + byPandas("read_spss")},
	{Magic: "$FL3", Is: "an SPSS table (zsav)", File: "convert it to Parquet: " + byPandas("read_spss")},
	{Magic: "CDF\x01", Is: netCDF, File: xarray}, {Magic: "CDF\x02", Is: netCDF, File: xarray}, {Magic: "CDF\x05", Is: netCDF, File: xarray},
	{Magic: "SIMPLE  =", Is: "a FITS file", File: "convert it to Parquet: astropy.table.Table.read(FILE).to_pandas().to_parquet(\"out.parquet\")"},
	{Magic: "GGUF", Binary: true, Is: "a model of llama.cpp (GGUF)", File: "give the vectors that it makes, as .npy or Parquet"},
	{Magic: "\xac\xed\x00\x05", Is: "a serialized Java object", File: "export the vectors as CSV or Parquet"},
	{Magic: "\x89PNG\r\n", Is: "a picture (PNG)", File: pixels}, {Magic: "\xff\xd8\xff", Is: "a picture (JPEG)", File: pixels},
	{Magic: "GIF8", Binary: true, Is: "a picture (GIF)", File: pixels}, {Magic: "II*\x00", Is: "a picture (TIFF)", File: pixels}, {Magic: "MM\x00*", Is: "a picture (TIFF)", File: pixels},
	{Magic: "\x00\x00\x27\x0a", Is: "a shapefile", File: "convert it to CSV: ogr2ogr -f CSV out.csv FILE -lco GEOMETRY=AS_XY"},
	{Magic: "\x7fELF", Is: "a program", File: "name the file that holds the data"},
	{Magic: "VTXF", Is: "a Vortex file", File: "convert it to Parquet with the library that wrote it"},
	{Magic: "%PDF-", Is: "a PDF document", File: "name the file that holds the data"},
	{Magic: "<!DOCTYPE", Is: "an HTML page", File: page},
	{Magic: "<!doctype", Is: "an HTML page", File: page},
	{Magic: "<html", Is: "an HTML page", File: page},
	{Magic: "<HTML", Is: "an HTML page", File: page},
	{Magic: "<?xml", Is: "an XML file", File: "convert it to CSV or Parquet: " + byPandas("read_xml")},
	{Magic: "version https://git-lfs.github.com/spec/", Is: "a pointer of Git LFS, not the file itself", File: "fetch the file: git lfs pull"},
}

// Advice for several formats.
const (
	page     = "if it was fetched from the web, its address leads to a page, not to the data; for a table on a page: pandas.read_html(FILE)[0].to_csv(\"out.csv\", index=False)"
	hdf5     = "save the array as .npy: numpy.save(\"x.npy\", h5py.File(FILE)[\"NAME\"][:]); of an .h5ad: numpy.save(\"x.npy\", anndata.read_h5ad(FILE).obsm[\"X_pca\"]), or fit(adata) in Python"
	rData    = "data of R (.rds, .RData)"
	stata    = "convert it to Parquet: pandas.read_stata(FILE).to_parquet(\"out.parquet\")"
	netCDF   = "a NetCDF file"
	xarray   = "convert it to Parquet: xarray.open_dataset(FILE).to_dataframe().reset_index().to_parquet(\"out.parquet\")"
	pixels   = "give a table or an array with a row a picture, such as .npy of its pixels or of an embedding"
	lance    = "convert it to Parquet: pyarrow.parquet.write_table(lance.dataset(FOLDER).to_table(), \"out.parquet\")"
	unpickle = "save the array by numpy.save, or the table as Parquet: numpy.save(\"x.npy\", x), or x.to_parquet(\"x.parquet\"), where x = pickle.load(open(FILE, \"rb\")) of a file that you trust"
	torch    = "save the tensor: numpy.save(\"x.npy\", torch.load(FILE, weights_only=True)[\"NAME\"].numpy())"
)

// byPandas returns the advice to convert a file to Parquet with pandas.
func byPandas(read string) string {
	return "pandas." + read + "(FILE).to_parquet(\"out.parquet\")"
}

// rConvert returns the advice to convert data to CSV in R.
func rConvert(expression string) string {
	return "in R: write.csv(" + expression + ", \"out.csv\", row.names = FALSE)"
}

// Recognize returns the signature with which data begin.
func Recognize(head []byte) (s Signature, known bool) {
	for _, s := range signatures {
		if len(head) >= s.At && bytes.HasPrefix(head[s.At:], []byte(s.Magic)) && (!s.Binary || !isText(head[:min(len(head), 512)])) {
			return s, true
		}
	}
	if p, packed := packingOf(head); packed {
		return Signature{Magic: p.magic, Is: "compressed by " + p.name, Message: compressed}, true
	}
	for _, rule := range rules {
		if rule.is(head) {
			return Signature{Is: rule.Is, File: rule.File}, true
		}
	}
	return s, false
}

// isText reports whether b is UTF-8 without control characters other than white space.
func isText(b []byte) bool {
	return utf8.Valid(b) && !slices.ContainsFunc(b, func(c byte) bool { return c < 9 || c > 13 && c < 32 && c != 27 })
}

// rules are formats without fixed first bytes.
var rules = []struct {
	Is, File string
	is       func(head []byte) bool
}{
	{"a model or tensor of PyTorch", torch, func(h []byte) bool {
		return len(h) > 12 && h[0] == 0x80 && bytes.HasPrefix(h[2:], []byte("\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."))
	}},
	{"a Python pickle", unpickle, func(h []byte) bool {
		return len(h) > 2 && h[0] == 0x80 && h[1] >= 2 && h[1] <= 5 && bytes.IndexByte([]byte("}]c\x95(K\x8cX)GMNJ\x8a\x88\x89U"), h[2]) >= 0
	}},
	{"a Python pickle", unpickle, func(h []byte) bool {
		return bytes.HasPrefix(h, []byte("(dp0\n")) || bytes.HasPrefix(h, []byte("(lp0\n")) || bytes.HasPrefix(h, []byte("cnumpy")) || bytes.HasPrefix(h, []byte("ccopy_reg\n"))
	}},
	{"compressed by zlib", "unpack it first: pigz -d, or python -c \"import sys,zlib; sys.stdout.buffer.write(zlib.decompress(open(sys.argv[1],'rb').read()))\" FILE; of joblib: numpy.save(\"x.npy\", joblib.load(FILE))", func(h []byte) bool {
		return len(h) > 2 && h[0] == 0x78 && (h[1] == 0x01 || h[1] == 0x9c || h[1] == 0xda)
	}},
	{rData, rConvert("readRDS(\"FILE\")"), func(h []byte) bool { return asciiR.Match(h) }},
	{"an index of Faiss", "save its vectors as .npy: i = faiss.read_index(FILE); numpy.save(\"x.npy\", i.reconstruct_n(0, i.ntotal))", func(h []byte) bool {
		return len(h) > 12 && (h[0] == 'I' && (h[1] == 'x' || h[1] == 'w' || h[1] == 'H')) && bytes.IndexByte(h[4:12], 0) >= 0
	}},
	{"sound (WAV)", "give what describes it as vectors, as .npy or Parquet", func(h []byte) bool {
		return len(h) > 12 && bytes.HasPrefix(h, []byte("RIFF")) && string(h[8:12]) == "WAVE"
	}},
	// The release, the byte order, the file type, and a 0.
	{"a Stata table (dta)", stata, func(h []byte) bool {
		return len(h) > 4 && h[0] >= 104 && h[0] <= 115 && (h[1] == 1 || h[1] == 2) && h[2] == 1 && h[3] == 0
	}},
	{"a MATLAB file of version 4", "save the array as .npy: numpy.save(\"x.npy\", scipy.io.loadmat(FILE)[\"NAME\"])", isMatlab4},
	{"a TFRecord file", "convert it to Parquet where its features are known: tensorflow.data.TFRecordDataset", isTFRecord},
	{"an SPSS portable file", "convert it: pyreadstat.read_por(FILE)[0].to_parquet(\"out.parquet\")", func(h []byte) bool {
		return bytes.Contains(h[:min(len(h), 512)], []byte("ASCII SPSS PORT FILE"))
	}},
	{"an HTML page", page, func(h []byte) bool {
		h = bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(h, []byte("\xef\xbb\xbf")), " \t\r\n"))
		return bytes.HasPrefix(h, []byte("<!doctype html")) || bytes.HasPrefix(h, []byte("<html")) || bytes.HasPrefix(h, []byte("<table")) || bytes.HasPrefix(h, []byte("<head"))
	}},
	{"an XML file", "convert it to CSV or Parquet: " + byPandas("read_xml"), func(h []byte) bool {
		return bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(h, []byte("\xef\xbb\xbf")), " \t\r\n"), []byte("<?xml"))
	}},
	{"UTF-32 text", "convert it to UTF-8: iconv -f UTF-32 -t UTF-8 FILE", func(h []byte) bool {
		return bytes.HasPrefix(h, []byte("\xff\xfe\x00\x00")) || bytes.HasPrefix(h, []byte("\x00\x00\xfe\xff"))
	}},
}

// asciiR matches R's text form of an object: the format, and two versions of R.
var asciiR = regexp.MustCompile(`^A\n[23]\n[0-9]{5,6}\n[0-9]{5,6}\n`)

// isMatlab4 recognizes the header of a matrix of MATLAB 4: type, rows, columns, imaginary or not,
// and the length of a name, which ends with a 0.
func isMatlab4(h []byte) bool {
	if len(h) < 22 {
		return false
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		kind, rows, columns, imaginary, name := order.Uint32(h), order.Uint32(h[4:]), order.Uint32(h[8:]), order.Uint32(h[12:]), order.Uint32(h[16:])
		big := kind / 1000
		if big > 1 || kind/100%10 != 0 || kind/10%10 > 5 || kind%10 > 2 || rows == 0 || columns == 0 || imaginary > 1 || name < 2 || name > 64 || int(20+name) > len(h) {
			continue
		}
		letters := h[20 : 20+name]
		if letters[name-1] == 0 && !slices.ContainsFunc(letters[:name-1], func(c byte) bool {
			return c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z')
		}) {
			return true
		}
	}
	return false
}

// isTFRecord recognizes a length with its masked checksum.
func isTFRecord(h []byte) bool {
	if len(h) < 12 {
		return false
	}
	sum := crc32.Checksum(h[:8], crc32.MakeTable(crc32.Castagnoli))
	return binary.LittleEndian.Uint32(h[8:]) == (sum>>15|sum<<17)+0xa282ead8
}

// NameOf returns the name of files of a format; "" for those without a signature.
func NameOf(f Format) string {
	for _, s := range signatures {
		if s.Format == f {
			return s.Is
		}
	}
	return ""
}
