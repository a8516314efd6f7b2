package ingest_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/table"
)

// Files of unsupported formats are identified, with advice for conversion. None is read as text.
func TestForeignKindsAreNamed(t *testing.T) {
	members := func(names ...string) string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, name := range names {
			if w, err := z.Create(name); err != nil {
				t.Fatal(err)
			} else if _, err := w.Write([]byte("x")); err != nil {
				t.Fatal(err)
			}
		}
		z.Close()
		return b.String()
	}
	length := binary.LittleEndian.AppendUint64(nil, 10)
	sum := crc32.Checksum(length, crc32.MakeTable(crc32.Castagnoli))
	tf := string(binary.LittleEndian.AppendUint32(length, (sum>>15|sum<<17)+0xa282ead8))
	mat4 := string(binary.LittleEndian.AppendUint32(nil, 0)) + "\x03\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00x\x00" + strings.Repeat("\x00", 48)
	zeros := strings.Repeat("\x00", 600)
	for _, c := range []struct{ name, content, is, do string }{
		{"x.rds", string(gz([]byte("X\n\x00\x00\x00\x03" + zeros))), "data of R", "write.csv(readRDS("},
		{"ascii.rds", "A\n3\n262402\n197888\n5\nUTF-8\n", "data of R", "readRDS"},
		{"x.RData", string(gz([]byte("RDX3\nX\n" + zeros))), "data of R", "get(load("},
		{"x.sas7bdat", zeros[:12] + "\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00\x09\xc7\x31\x8c" + zeros, "a SAS table", "pandas.read_sas"},
		{"x.xpt", "HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!", "a SAS transport file", "pandas.read_sas"},
		{"x.dta", "<stata_dta><header>", "a Stata table", "pandas.read_stata"},
		{"old.dta", "\x72\x02\x01\x00\x05\x00" + zeros, "a Stata table", "pandas.read_stata"},
		{"x.sav", "$FL2@(#) SPSS DATA FILE", "an SPSS table", "pandas.read_spss"},
		{"x.pkl", "\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00" + zeros, "a Python pickle", "numpy.save"},
		{"x.pt", members("archive/data.pkl", "archive/data/0"), "a model or tensor of PyTorch", "torch.load"},
		{"old.pt", "\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19." + zeros, "a model or tensor of PyTorch", "torch.load"},
		{"x.mat", "MATLAB 5.0 MAT-file, Platform: GLNXA64" + zeros, "a MATLAB file", "scipy.io.loadmat"},
		{"v73.mat", "MATLAB 7.3 MAT-file, Platform: GLNXA64" + zeros, "version 7.3", "h5py.File"},
		{"v4.mat", mat4, "a MATLAB file of version 4", "scipy.io.loadmat"},
		{"x.h5ad", "\x89HDF\r\n\x1a\n" + zeros, "an HDF5 file", "anndata.read_h5ad"},
		{"x.parquet", "PARE" + zeros + "PARE", "an encrypted Parquet file", "without encryption"},
		{"x.xlsx", members("[Content_Types].xml", "xl/workbook.xml"), "an Excel workbook", "pandas.read_excel"},
		{"x.ods", members("mimetype", "content.xml"), "an OpenDocument file", "pandas.read_excel"},
		{"x.xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + zeros, "an Excel workbook of the old kind", "pandas.read_excel"},
		{"x.html", "\n\n<!DOCTYPE html>\n<html><table>", "an HTML page", "pandas.read_html"},
		{"table.html", "  <table border=1>", "an HTML page", "pandas.read_html"},
		{"x.xml", "<?xml version=\"1.0\"?><a/>", "an XML file", "pandas.read_xml"},
		{"x.orc", "ORC\x08\x03" + zeros, "an ORC file", "pandas.read_orc"},
		{"x.feather", "FEA1" + zeros, "a Feather file of version 1", "write version 2"},
		{"x.db", "SQLite format 3\x00" + zeros, "an SQLite database", "sqlite3 -header -csv"},
		{"x.duckdb", "\x00\x01\x02\x03\x04\x05\x06\x07DUCK" + zeros, "a DuckDB database", "duckdb FILE -c"},
		{"x.nc", "CDF\x01" + zeros, "a NetCDF file", "xarray.open_dataset"},
		{"x.fits", "SIMPLE  =                    T", "a FITS file", "astropy"},
		{"x.tfrecord", tf + zeros, "a TFRecord file", "TFRecordDataset"},
		{"x.lance", "\x08\x01" + zeros + "\x00\x00LANC", "a Lance file", "lance.dataset"},
		{"x.index", "IxFI\x80\x00\x00\x00\x10\x27\x00\x00" + zeros, "an index of Faiss", "faiss.read_index"},
		{"x.tar", "a.csv" + zeros[:252] + "ustar\x0000" + zeros, "a tar archive", "tar -xf"},
		{"x.7z", "7z\xbc\xaf\x27\x1c" + zeros, "a 7z archive", "7z x"},
		{"x.joblib", "\x78\x9c" + zeros, "compressed by zlib", "joblib.load"},
		{"x.png", "\x89PNG\r\n\x1a\n" + zeros, "a picture (PNG)", "pixels"},
		{"x.jpg", "\xff\xd8\xff\xe0" + zeros, "a picture (JPEG)", "pixels"},
		{"x.wav", "RIFF\x00\x00\x00\x00WAVEfmt " + zeros, "sound (WAV)", "vectors"},
		{"x.gguf", "GGUF\x03\x00\x00\x00" + zeros, "a model of llama.cpp", "vectors"},
		{"x.shp", "\x00\x00\x27\x0a" + zeros, "a shapefile", "ogr2ogr"},
		{"x.pdf", "%PDF-1.7\n", "a PDF document", "name the file"},
		{"lfs.parquet", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n", "a pointer of Git LFS", "git lfs pull"},
		{"utf32.csv", "\xff\xfe\x00\x00a\x00\x00\x00", "UTF-32 text", "iconv"},
	} {
		path := tempFile(t, c.name, []byte(c.content))
		_, err := ingest.Open(t.Context(), path, ingest.Options{})
		if !table.IsBadInput(err) || !strings.Contains(err.Error(), "this is "+c.is) && !strings.Contains(err.Error(), "this is a") || !strings.Contains(err.Error(), c.is) || !strings.Contains(err.Error(), c.do) {
			t.Errorf("%s: error %v\nwant %q, %q", c.name, err, c.is, c.do)
		}
	}
	for name, content := range map[string]string{
		"zeros.csv": "a,b\n1,2\n" + zeros, "raw.bin": strings.Repeat("\x00\x00\x80?", 100), "late.csv": strings.Repeat("a,b\n", 1000) + "\x01\x02\x00\x03",
	} {
		path := tempFile(t, name, []byte(content))
		if _, err := ingest.Open(t.Context(), path, ingest.Options{}); !table.IsBadInput(err) || !strings.Contains(err.Error(), "of no known format") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// A folder in a format of its own is identified, too.
func TestForeignFoldersAreNamed(t *testing.T) {
	for holds, want := range map[string]string{".zarray": "an array of Zarr", "zarr.json": "Zarr", "_versions": "a dataset of Lance"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, holds), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := expandFolder(dir); !table.IsBadInput(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", holds, err)
		}
	}
}
