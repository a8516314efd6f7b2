package input

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"strings"

	"unfold/ingest/arrowipc"
)

// Advice for further formats.
const (
	sounds    = "give what describes it as vectors, as .npy or Parquet"
	program   = "name the file that holds the data"
	msgpack   = "convert it to Parquet: pandas.DataFrame(msgpack.unpack(open(FILE, \"rb\"))).to_parquet(\"out.parquet\"); a list of vectors: numpy.save(\"x.npy\", numpy.array(msgpack.unpack(open(FILE, \"rb\"))))"
	cbor      = "convert it to Parquet: pandas.DataFrame(cbor2.load(open(FILE, \"rb\"))).to_parquet(\"out.parquet\")"
	bson      = "convert it to Parquet: pandas.DataFrame(bson.decode_all(open(FILE, \"rb\").read())).to_parquet(\"out.parquet\"); or bsondump FILE > out.jsonl"
	points    = "save its points: numpy.savetxt(\"x.csv\", numpy.asarray(open3d.io.read_point_cloud(FILE).points), delimiter=\",\")"
	markup    = "convert it to CSV or Parquet: pandas.read_xml(FILE).to_parquet(\"out.parquet\"); of an HTML page: pandas.read_html(FILE)[0].to_csv(\"out.csv\", index=False)"
	geography = "convert it to CSV: ogr2ogr -f CSV out.csv FILE -lco GEOMETRY=AS_XY"
	volume    = "save the array as .npy: numpy.save(\"x.npy\", nibabel.load(FILE).get_fdata())"
)

// kinds are further formats of files. Messages are not compared with them, since many begin so.
var kinds = []struct {
	Is, File string
	is       func(head []byte) bool
}{
	{"an HDF5 file", hdf5, at(512, "\x89HDF\r\n\x1a\n")}, {"an HDF5 file", hdf5, at(1024, "\x89HDF\r\n\x1a\n")}, {"an HDF5 file", hdf5, at(2048, "\x89HDF\r\n\x1a\n")},
	{"a Python pickle", unpickle, func(h []byte) bool { // protocol 1
		return len(h) > 4 && (h[0] == '}' || h[0] == ']') && h[1] == 'q' && h[2] == 0 && strings.IndexByte("(XGKJMc]}", h[3]) >= 0
	}},
	{"an LMDB database", "export its values with the library that wrote it: lmdb.open(FILE, subdir=False).begin().cursor()", at(16, "\xde\xc0\xef\xbe")},
	{"a model (ONNX)", "give the vectors that it makes, as .npy or Parquet", isONNX},
	{"a model (TensorFlow Lite)", "give the vectors that it makes, as .npy or Parquet", at(4, "TFL3")},
	{"a picture (BMP)", pixels, binaryAt("BM", 6, "\x00\x00\x00\x00")},
	{"a picture (WebP)", pixels, binaryAt("RIFF", 8, "WEBP")},
	{"a picture (JPEG 2000)", pixels, at(0, "\x00\x00\x00\x0cjP  ")},
	{"a picture (ICO)", pixels, func(h []byte) bool {
		return len(h) > 22 && bytes.HasPrefix(h, []byte("\x00\x00\x01\x00")) && h[4] > 0 && h[5] == 0 && h[9] == 0
	}},
	{"a picture (PNM)", pixels, func(h []byte) bool { return netpbm.Match(h) }},
	{"a picture (SVG)", "name the file that holds the data", func(h []byte) bool { return svg.Match(h) }},
	{"an XML or HTML file", markup, func(h []byte) bool {
		m := element.FindSubmatch(h)
		return m != nil && (bytes.Contains(h, append([]byte("</"), m[1]...)) || bytes.Contains(h, []byte("/>")))
	}},
	{"GeoJSON", geography, func(h []byte) bool { return geoJSON.Match(h) }},
	{"a notebook of Jupyter", program, func(h []byte) bool { return notebook.Match(h) }},
	{"an RTF document", program, at(0, "{\\rtf")},
	{"sound (MP3)", sounds, binaryAt("ID3", 4, "\x00")}, {"sound (FLAC)", sounds, at(0, "fLaC\x00")}, {"sound (Ogg)", sounds, at(0, "OggS\x00")},
	{"a film (MP4)", sounds, at(4, "ftyp")}, {"a film (AVI)", sounds, binaryAt("RIFF", 8, "AVI ")}, {"a film (Matroska)", sounds, at(0, "\x1a\x45\xdf\xa3")},
	{"a medical picture (DICOM)", "save the array as .npy: numpy.save(\"x.npy\", pydicom.dcmread(FILE).pixel_array)", at(128, "DICM")},
	{"a medical volume (NIfTI)", volume, at(344, "n+1\x00")}, {"a medical volume (NIfTI)", volume, at(344, "ni1\x00")},
	{"a recording (EDF)", "save the signals: mne.io.read_raw_edf(FILE).to_data_frame().to_parquet(\"out.parquet\")", func(h []byte) bool {
		return len(h) > 256 && bytes.HasPrefix(h, []byte("0       ")) && edfDate.Match(h[168:184])
	}},
	{"measurements of LabVIEW (TDMS)", "convert it to Parquet: nptdms.TdmsFile.read(FILE).as_dataframe().to_parquet(\"out.parquet\")", at(0, "TDSm")},
	{"a file of ROOT", "convert it to Parquet: uproot.open(FILE)[\"TREE\"].arrays(library=\"pd\").to_parquet(\"out.parquet\")", binaryAt("root", 4, "\x00\x00")},
	{"GRIB weather data", "convert it to Parquet: xarray.open_dataset(FILE, engine=\"cfgrib\").to_dataframe().reset_index().to_parquet(\"out.parquet\")", binaryAt("GRIB", 0, "GRIB")},
	{"alignments of sequences (BAM)", "convert it to text: samtools view FILE", at(0, "BAM\x01")},
	{"a dBASE table", "convert it to CSV: ogr2ogr -f CSV out.csv FILE", isDBF},
	{"a FlatGeobuf file", geography, at(0, "fgb\x03fgb")},
	{"a point cloud (LAS)", "save its points: numpy.save(\"x.npy\", laspy.read(FILE).xyz)", binaryAt("LASF", 0, "LASF")},
	{"a point cloud or mesh (PLY)", points, at(0, "ply\nformat ")}, {"a point cloud or mesh (PLY)", points, at(0, "ply\r\nformat ")},
	{"a point cloud (PCD)", points, at(0, "# .PCD v")},
	{"compressed by lzma", "unpack it first: xz --format=lzma -d FILE", func(h []byte) bool {
		return len(h) > 13 && h[0] == 0x5d && h[1] == 0 && h[2] == 0 && (h[5] == 0xff && h[12] == 0xff || h[11] == 0 && h[12] == 0)
	}},
	{"compressed by zlib", "unpack it first: pigz -d; of joblib: numpy.save(\"x.npy\", joblib.load(FILE))", func(h []byte) bool {
		return len(h) > 2 && h[0] == 0x78 && h[1] == 0x5e && !isText(h[:min(len(h), 512)])
	}},
	{"a cabinet archive", "unpack it first: cabextract FILE", at(0, "MSCF\x00\x00\x00\x00")},
	{"a program", program, binaryAt("MZ", 0, "MZ")}, {"a program", program, at(0, "\xcf\xfa\xed\xfe")}, {"a program", program, at(0, "\x00asm\x01")},
	{"a Java class", program, at(0, "\xca\xfe\xba\xbe")}, {"a compiled Python module", program, at(1, "\r\r\n")},
	// A length, and the offset of a table of the schema.
	{"an Arrow stream of a version before 0.15", "write it again: pyarrow.feather.write_feather(pyarrow.ipc.open_stream(FILE).read_all(), \"out.arrow\")", func(h []byte) bool {
		return len(h) > 16 && arrowipc.IsOld(h) && binary.LittleEndian.Uint32(h) < 1<<24 && h[8] == 0 && h[9] == 0
	}},
	{"MessagePack", msgpack, isMessagePack},
	{"CBOR", cbor, isCBOR},
	{"BSON", bson, isBSON},
}

var (
	netpbm   = regexp.MustCompile(`^P[1-6]\n(#[^\n]*\n)?\d+ \d+\n`)
	svg      = regexp.MustCompile(`^(?:\xef\xbb\xbf)?\s*<svg[\s>]`)
	element  = regexp.MustCompile(`^(?:\xef\xbb\xbf)?\s*(?:<!--(?s:.*?)-->\s*)*<([A-Za-z][A-Za-z0-9:._-]*)(?:\s[^<>]*)?/?>`)
	geoJSON  = regexp.MustCompile(`^\s*\{\s*"type"\s*:\s*"(FeatureCollection|Topology)"`)
	notebook = regexp.MustCompile(`^\s*\{\s*"(cells"\s*:\s*\[|nbformat")`)
	edfDate  = regexp.MustCompile(`^\d\d\.\d\d\.\d\d\d\d\.\d\d\.\d\d`)
)

func at(offset int, magic string) func([]byte) bool {
	return func(h []byte) bool { return len(h) >= offset && bytes.HasPrefix(h[offset:], []byte(magic)) }
}

// binaryAt is at for two marks, with which text may also begin.
func binaryAt(first string, offset int, second string) func([]byte) bool {
	return func(h []byte) bool {
		return bytes.HasPrefix(h, []byte(first)) && at(offset, second)(h) && !isText(h[:min(len(h), 512)])
	}
}

// RecognizeFile is Recognize for the beginning of a file, which may be of further formats.
func RecognizeFile(head []byte) (s Signature, known bool) {
	if s, known = Recognize(head); known {
		return s, known
	}
	for _, k := range kinds {
		if k.is(head) {
			return Signature{Is: k.Is, File: k.File}, true
		}
	}
	return s, false
}

// isONNX recognizes a model's first fields: the version of the format, texts of its producer, and a
// graph, which begins with a node.
func isONNX(h []byte) bool {
	if len(h) < 4 || h[0] != 0x08 || h[1] == 0 || h[1] > 30 {
		return false
	}
	for h = h[2:]; len(h) > 2; {
		tag, size := h[0], 0
		n, used := binary.Uvarint(h[1:])
		if used <= 0 {
			return false
		}
		switch tag {
		case 0x28: // a number
		case 0x12, 0x1a, 0x22, 0x32, 0x42: // texts, versions of operators
			size = int(min(n, 1<<20))
		case 0x3a:
			return len(h) > 1+used && (h[1+used] == 0x0a || h[1+used] == 0x12)
		default:
			return false
		}
		h = h[min(len(h), 1+used+size):]
	}
	return false
}

// isDBF recognizes the version, the date, and the end of the header.
func isDBF(h []byte) bool {
	if len(h) < 65 || bytes.IndexByte([]byte("\x03\x30\x31\x43\x63\x83\x8b\xcb\xf5"), h[0]) < 0 || h[2] == 0 || h[2] > 12 || h[3] == 0 || h[3] > 31 {
		return false
	}
	size := int(binary.LittleEndian.Uint16(h[8:]))
	return size%32 == 1 && size <= len(h) && h[size-1] == '\r'
}
