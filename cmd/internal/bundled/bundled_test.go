package bundled

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/csv"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/internal/testkit/tier"
)

var update = flag.Bool("update", false, "write the bundled files again from UNFOLD_DATA")

const testdata = "../../../testdata"

// cuts are the bundled files with their originals and selections.
var cuts = []struct {
	file, original string
	cut            func(w io.Writer, original io.Reader) error
}{
	{"kdd/kdd.csv.gz", "kddcup99/kddcup.data_10_percent.gz", func(w io.Writer, r io.Reader) error {
		_, err := CutConnections(w, r)
		return err
	}},
	{"digits/train-images-idx3-ubyte.gz", "mnist/train-images-idx3-ubyte.gz", first(3000)},
	{"digits/train-labels-idx1-ubyte.gz", "mnist/train-labels-idx1-ubyte.gz", first(3000)},
	{"digits/test-images-idx3-ubyte.gz", "mnist/t10k-images-idx3-ubyte.gz", first(1000)},
	{"digits/test-labels-idx1-ubyte.gz", "mnist/t10k-labels-idx1-ubyte.gz", first(1000)},
}

func first(n int) func(io.Writer, io.Reader) error {
	return func(w io.Writer, r io.Reader) error { return CutDigits(w, r, n) }
}

func TestBundledFilesAreTheCutsTheyAreSaidToBe(t *testing.T) {
	originals := tier.Data(t)
	for _, c := range cuts {
		t.Run(c.file, func(t *testing.T) {
			want := new(bytes.Buffer)
			if err := c.cut(want, bytes.NewReader(gunzip(t, filepath.Join(originals, c.original)))); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(testdata, c.file)
			if *update {
				writeGzip(t, path, want.Bytes())
			}
			if !bytes.Equal(gunzip(t, path), want.Bytes()) {
				t.Errorf("%s is not what the rule makes of %s; run this test with -update", c.file, c.original)
			}
		})
	}
}

func TestConnections(t *testing.T) {
	records, err := csv.NewReader(bytes.NewReader(gunzip(t, filepath.Join(testdata, "kdd/kdd.csv.gz")))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(records[0], ","), strings.Join(ConnectionColumns, ","); got != want {
		t.Errorf("header is\n%s, expected\n%s", got, want)
	}
	labels, runs := map[string]int{}, 0
	label := len(ConnectionColumns) - 2
	for i, r := range records[1:] {
		labels[r[label]]++
		if i == 0 || r[label] != records[i][label] {
			runs++
		}
	}
	if n := len(records) - 1; n != 26913 {
		t.Errorf("%d records, expected 26913", n)
	}
	if len(labels) != 23 {
		t.Errorf("%d labels, expected all 23: %v", len(labels), labels)
	}
	// The sample has to preserve the bursts: far fewer runs of equal labels than records.
	if runs > 500 {
		t.Errorf("%d runs of one label, expected the file's own bursts to stay", runs)
	}
}

func TestDigits(t *testing.T) {
	for _, part := range []struct {
		name string
		n    int
	}{{"train", 3000}, {"test", 1000}} {
		images := gunzip(t, filepath.Join(testdata, "digits", part.name+"-images-idx3-ubyte.gz"))
		labels := gunzip(t, filepath.Join(testdata, "digits", part.name+"-labels-idx1-ubyte.gz"))
		if len(images) != 16+784*part.n || len(labels) != 8+part.n {
			t.Errorf("%s: %d bytes of images and %d of labels for %d digits", part.name, len(images), len(labels), part.n)
		}
		if n := binary.BigEndian.Uint32(images[4:]); int(n) != part.n {
			t.Errorf("%s: header says %d images, expected %d", part.name, n, part.n)
		}
		counts := [10]int{}
		for _, l := range labels[8:] {
			counts[l]++
		}
		for digit, c := range counts {
			if c < part.n/20 {
				t.Errorf("%s: only %d images of digit %d", part.name, c, digit)
			}
		}
	}
}

func TestCutDigitsRefusesWhatIsNoIDX(t *testing.T) {
	for name, in := range map[string]string{
		"empty": "", "text": "id,x\n1,2\n", "floats": "\x00\x00\x0d\x01\x00\x00\x00\x01\x00\x00\x00\x00",
		"few items": "\x00\x00\x08\x01\x00\x00\x00\x01a", "truncated": "\x00\x00\x08\x01\x00\x00\x00\x02a",
	} {
		if err := CutDigits(io.Discard, strings.NewReader(in), 2); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestCutConnectionsNamesTheLine(t *testing.T) {
	good := strings.Repeat("0,", 41) + "normal.\n"
	for name, in := range map[string]string{
		"fields": good + "1,2,3\n", "label": good + strings.Repeat("0,", 41) + "martian.\n",
	} {
		_, err := CutConnections(io.Discard, strings.NewReader(in))
		if err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%s: error %v, expected one that names line 2", name, err)
		}
	}
}

func gunzip(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return data
}

func writeGzip(t *testing.T, path string, data []byte) {
	t.Helper()
	buf := new(bytes.Buffer)
	z, _ := gzip.NewWriterLevel(buf, gzip.BestCompression)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, buf.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
