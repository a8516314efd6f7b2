package input

import (
	"os"
	"path/filepath"

	"unfold/ingest/table"
)

// folders are formats that consist of a folder, identified by a file or a folder in it.
var folders = []struct{ holds, is, do string }{
	{".zarray", "an array of Zarr", zarr}, {".zgroup", "a group of Zarr", zarr}, {"zarr.json", "an array or a group of Zarr", zarr},
	{"_versions", "a dataset of Lance", lance},
	{"__schema", "an array of TileDB", "convert it to Parquet: tiledb.open_dataframe(FOLDER).to_parquet(\"out.parquet\")"},
	{"saved_model.pb", "a model of TensorFlow", "give the vectors that it makes, as .npy or Parquet"},
}

const zarr = "save the array as .npy: numpy.save(\"x.npy\", zarr.open(FOLDER)[:]), or of a group zarr.open(FOLDER)[\"NAME\"][:]"

// foreignFolder returns the error for a folder in a format of its own.
func foreignFolder(path string) error {
	for _, f := range folders {
		if _, err := os.Stat(filepath.Join(path, f.holds)); err == nil {
			return table.Origin{File: path}.Bad("this folder is %s, which is not read", f.is).Suggest("%s", f.do)
		}
	}
	return nil
}

// ByTail identifies unsupported files by their last bytes, "" for none.
func ByTail(in *Source) (is, do string) {
	if in.Packed != "" || !in.regular() {
		return "", ""
	}
	info, err := in.File.Stat()
	if err != nil || info.Size() < 8 {
		return "", ""
	}
	var tail [4]byte
	if _, err := in.File.ReadAt(tail[:], info.Size()-4); err != nil {
		return "", ""
	}
	if string(tail[:]) == "LANC" {
		return "a Lance file", lance
	}
	return "", ""
}
