package ingest_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

	"unfold/ingest"
	"unfold/ingest/input"
	"unfold/ingest/table"
)

func expandFolder(dir string) ([]string, error) { return input.Expand([]string{dir}) }

// tradeFiles returns the same three vectors in formats of benchmarks, models and instruments.
func tradeFiles(t testing.TB) map[string][]byte {
	vectors := [][]float32{{0, 1.5, -2, 3}, {7.25, 8, 5, 6}, {1, 2, 3, 4.5}}
	var flat, fvecs, text, binaryWords, svm, arff []byte
	text = []byte("3 4\n")
	binaryWords = []byte("3 4\n")
	arff = []byte("% made by hand\n@RELATION r\n\n@ATTRIBUTE 'a a' NUMERIC\n@attribute b real\n@attribute c real\n@attribute d real\n@attribute class {x, 'y z'}\n@DATA\n")
	for i, v := range vectors {
		fvecs = binary.LittleEndian.AppendUint32(fvecs, 4)
		text = fmt.Appendf(text, "w%d", i)
		binaryWords = fmt.Appendf(binaryWords, "w%d ", i)
		svm = fmt.Appendf(svm, "%d", i)
		for k, x := range v {
			bits := math.Float32bits(x)
			flat = binary.LittleEndian.AppendUint32(flat, bits)
			fvecs = binary.LittleEndian.AppendUint32(fvecs, bits)
			text = fmt.Appendf(text, " %g", x)
			binaryWords = binary.LittleEndian.AppendUint32(binaryWords, bits)
			if x != 0 {
				svm = fmt.Appendf(svm, " %d:%g", k, x)
			}
			arff = fmt.Appendf(arff, "%g, ", x)
		}
		text, binaryWords, svm = append(text, '\n'), append(binaryWords, '\n'), append(svm, " # a comment\n"...)
		arff = append(arff, "'y z'\n"...)
	}
	header := `{"__metadata__":{"a":"b"},"x":{"dtype":"F32","shape":[3,4],"data_offsets":[0,48]},"n":{"dtype":"I64","shape":[1],"data_offsets":[48,56]}}`
	tensors := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	tensors = append(append(tensors, flat...), make([]byte, 8)...)

	fcsText := "|$BEGINDATA|0|$ENDDATA|0|$BYTEORD|1,2,3,4|$DATATYPE|F|$MODE|L|$PAR|4|$TOT|3|"
	for k, name := range []string{"FSC-A", "CD4", "CD8", "Time"} {
		fcsText += fmt.Sprintf("$P%dB|32|$P%dN|%s|$P%dR|262144|", k+1, k+1, name, k+1)
	}
	end := 58 + len(fcsText)
	fcs := fmt.Appendf(nil, "FCS3.1    %8d%8d%8d%8d%8d%8d", 58, end-1, end, end+len(flat)-1, 0, 0)
	fcs = append(append(fcs, fcsText...), flat...)

	schema, err := avro.Parse(`{"type":"record","name":"r","fields":[{"name":"id","type":"long"},{"name":"v","type":{"type":"array","items":"float"}},{"name":"at","type":["null","double"]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	var container bytes.Buffer
	w, err := ocf.NewWriter(&container, schema)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vectors {
		if err := w.Encode(map[string]any{"id": int64(i), "v": v, "at": nil}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{
		"x.fvecs": fvecs, "x.fbin": append([]byte("\x03\x00\x00\x00\x04\x00\x00\x00"), flat...), "x.safetensors": tensors,
		"words.txt": text, "words.bin": binaryWords, "x.svm": svm, "x.arff": arff, "x.fcs": fcs, "x.avro": container.Bytes(),
		"x.fvecs.gz": gz(fvecs), "words.txt.gz": gz(text), "x.arff.gz": gz(arff),
	}
}

// The readers of these formats return the vectors that were written.
func TestTradeReaders(t *testing.T) {
	want := []float32{0, 1.5, -2, 3, 7.25, 8, 5, 6, 1, 2, 3, 4.5}
	for name, content := range tradeFiles(t) {
		var m ingest.Mapping
		if strings.Contains(name, "arff") || strings.Contains(name, "fcs") {
			m = columnsOf(t, "*")
		}
		d, err := ingest.ReadAll(t.Context(), []string{tempFile(t, name, content)}, ingest.ReadOptions{Mapping: m})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := fmt.Sprint(d.X.Data); got != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	for name, column := range map[string]string{"words.txt": "word", "words.bin": "word", "x.svm": "label", "x.arff": "class"} {
		records := readTable(t, tempFile(t, name, tradeFiles(t)[name]), ingest.Options{})
		c, ok := records.Column(column)
		wants := map[string]string{"word": "w2", "label": "2", "class": "y z"}
		if !ok || c.Text(2) != wants[column] {
			t.Errorf("%s: no column %s in %v", name, column, records.Schema())
		}
	}
}

// Every prefix of such a file, and every file with a changed byte, is read or leads to an error
// about the input.
func TestTradeReadersAreSound(t *testing.T) {
	for name, content := range tradeFiles(t) {
		for at := 1; at < len(content); at += 1 + len(content)/40 {
			damaged := bytes.Clone(content)
			damaged[at] ^= 0xff
			for _, b := range [][]byte{content[:at], damaged} {
				path := tempFile(t, name, b)
				if _, _, err := readFile(path, ingest.Options{}); err != nil && !table.IsBadInput(err) {
					t.Errorf("%s, byte %d: %v", name, at, err)
				}
			}
		}
	}
}

// FuzzTradeFormats checks that any bytes under such a name lead to an error at worst.
func FuzzTradeFormats(f *testing.F) {
	for name, content := range tradeFiles(f) {
		f.Add(name, content)
	}
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		if strings.ContainsAny(name, "/\x00") || name == "" || name == "." || name == ".." || len(name) > 50 || len(content) > 1<<20 {
			return
		}
		if _, _, err := readFile(tempFile(t, name, content), ingest.Options{Memory: 64 << 20}); err != nil && !table.IsBadInput(err) {
			t.Errorf("%v is not said to be of the file", err)
		}
	})
}
