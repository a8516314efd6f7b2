package ingesttest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"
)

// tradeBombs returns bombs of the formats that other programs exchange.
func tradeBombs() []Bomb {
	return []Bomb{
		{"rows.avro", true, avroBomb(avroPair, 4, 4<<20, zeros(8*4<<20))},
		{"nulls.avro", true, avroFile(`{"type":"record","name":"r","fields":[{"name":"embedding_0","type":"null"},{"name":"embedding_1","type":"null"}]}`, 1<<40, nil)},
		{"items.avro", false, avroFile(avroList(`"null"`), 1, avroLong(1<<40))},
		{"block.avro", true, whole(append(avroHead(avroPair, "null"), append(avroLong(1), avroLong(255*mib)...)...))},
		{"metadata.avro", true, whole(append([]byte("Obj\x01"), append(avroLong(1<<40), avroLong(1<<60)...)...))},
		{"flags.avro", false, avroBomb(avroList(`"boolean"`), 1, 1, avroArray(240*mib, 1))},
		{"wide.avro", false, avroBomb(avroList(avroWide(10_000)), 1, 1, avroArray(1<<20, 1))},
		{"text.avro", true, avroBomb(`{"type":"record","name":"r","fields":[{"name":"embedding_0","type":"string"},{"name":"embedding_1","type":"null"}]}`, 1, 1, avroText(240*mib))},
		{"deep.avro", false, avroBomb(`{"type":"record","name":"r","fields":[{"name":"next","type":["null","r"]}]}`, 1, 1, deepAvro)},
		{"fields.avro.gz", true, packed(gzipTo, string(avroHead(avroWide(500_000), "null")), "", 0)},

		{"text.fcs.zst", true, fcsBomb(func(b *bytes.Buffer) {
			for i := range 1_500_000 {
				fmt.Fprintf(b, "/k%x/1", i)
			}
		}, 0)},
		{"events.fcs", true, fcsBomb(fcsPair(1_000_000_000_000_000), 0)},
		{"zeros.fcs.zst", true, fcsBomb(fcsPair(many), 8*many)},
		{"columns.fcs.zst", true, fcsBomb(func(b *bytes.Buffer) {
			fcsColumns(b, 1<<14, 1000)
		}, 4*1000<<14)},

		{"shape.safetensors", false, whole(tensorsHead(`{"x":{"dtype":"F32","shape":[1000000000000000,2],"data_offsets":[0,8000000000000000]}}`))},
		{"names.safetensors.zst", false, func(path string) error {
			var b strings.Builder
			b.WriteString(`{"x":{}`)
			for i := range 6_000_000 {
				fmt.Fprintf(&b, `,"%x":{}`, i)
			}
			return packed(zstdTo, string(tensorsHead(b.String()+"}")), "", 0)(path)
		}},
		{"dimensions.safetensors.zst", false, func(path string) error {
			return packed(zstdTo, string(tensorsHead(`{"x":{"dtype":"F32","shape":[1`+strings.Repeat(",1", 48*mib)+`],"data_offsets":[0,4]}}`)), "\x00\x00\x00\x00", 1)(path)
		}},
		{"zeros.safetensors.zst", false, packed(zstdTo, string(tensorsHead(fmt.Sprintf(`{"x":{"dtype":"BF16","shape":[%d,2],"data_offsets":[0,%d]}}`, 256*mib, 1024*mib))), strings.Repeat("\x00", mib), 1024)},

		{"shape.vec", false, whole([]byte("999999999999 2\nword 1 2\n"))},
		{"line.vec.zst", false, packed(zstdTo, "1 9999999\nword 1", strings.Repeat(" 1", mib/2), 2048)},
		{"rows.vec.zst", false, packed(zstdTo, "100000000 2\n", strings.Repeat("word 1 2\n", mib/9), 1500)},
		{"glove.txt.zst", false, packed(zstdTo, "word"+strings.Repeat(" 1", 25)+"\n", "word"+strings.Repeat(" 1", mib/2), 2048)},
		{"words.bin.zst", false, packed(zstdTo, "900000000000 2\n", strings.Repeat("w \x00\x00\x80\x3f\x00\x00\x00\x00", mib/10), 1500)},

		{"index.svm", false, whole([]byte("1 2147483647:1\n2 1:1\n1 5:2\n"))},
		{"line.svm.zst", false, packed(zstdTo, "1 1:1\n1", strings.Repeat(" 1:1", mib/4), 63)},
		{"rows.svm.gz", false, packed(gzipTo, "", strings.Repeat("1 1:1 2:1\n", mib/10), 1500)},

		{"line.arff.zst", true, packed(zstdTo, arffHead, strings.Repeat("1", mib), 4096)},
		{"rows.arff.gz", true, packed(gzipTo, arffHead, strings.Repeat("1,2\n", mib/4), 1024)},
		{"attributes.arff.zst", true, packed(zstdTo, "@relation r\n", strings.Repeat("@attribute a real\n", mib/18), 2048)},

		{"shape.fbin", false, whole([]byte("\xff\xff\xff\xff\x00\x00\x10\x00\x00\x00\x00\x00"))},
		{"zeros.fbin.zst", false, packed(zstdTo, "\x00\x00\x00\x10\x01\x00\x00\x00", strings.Repeat("\x00", mib), 1024)},
		{"wide.fvecs.zst", false, packed(zstdTo, "", "\x00\x00\x10\x00"+strings.Repeat("\x00", 4*mib), 300)},
		{"rows.bvecs.zst", false, packed(zstdTo, "", strings.Repeat("\x02\x00\x00\x00\x00\x00", mib/6), 1500)},

		{"beside.npz", false, bundle("|S1", "labels", "groups", "names", "kinds")},
		{"numbers.npz", false, bundle("|u1", "a", "b", "c", "d", "e", "f", "g", "h")},
		{"columns.npy.zst", false, packed(zstdTo, string(bytes.Replace(npyHeader("|u1", "2, 60000000"), []byte("False"), []byte("True "), 1)), strings.Repeat("\x00", 1_000_000), 120)},
	}
}

const arffHead = "@relation r\n@attribute embedding_0 real\n@attribute embedding_1 real\n@data\n"

const avroPair = `{"type":"record","name":"r","fields":[{"name":"embedding_0","type":"float"},{"name":"embedding_1","type":"float"}]}`

// avroList returns the schema of a list.
func avroList(item string) string {
	return `{"type":"record","name":"r","fields":[{"name":"embedding","type":{"type":"array","items":` + item + `}}]}`
}

// avroWide returns the schema of a record with n fields that take no bytes, and one of a byte.
func avroWide(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"record","name":"w","fields":[{"name":"embedding_0","type":"boolean"}`)
	for i := range n {
		fmt.Fprintf(&b, `,{"name":"f%d","type":"null"}`, i)
	}
	return b.String() + "]}"
}

func avroLong(n int64) []byte { return binary.AppendVarint(nil, n) }

// avroHead returns the beginning of a container file. Its marker is 16 zeros.
func avroHead(schema, codec string) []byte {
	b := append([]byte("Obj\x01"), avroLong(2)...)
	for _, s := range []string{"avro.schema", schema, "avro.codec", codec} {
		b = append(append(b, avroLong(int64(len(s)))...), s...)
	}
	return append(b, make([]byte, 1+16)...)
}

// avroFile writes a container file with one block.
func avroFile(schema string, count int64, block []byte) func(string) error {
	return whole(appendBlock(avroHead(schema, "null"), count, block))
}

func appendBlock(b []byte, count int64, block []byte) []byte {
	b = append(append(b, avroLong(count)...), avroLong(int64(len(block)))...)
	return append(append(b, block...), make([]byte, 16)...)
}

// avroBomb writes a container file with equal compressed blocks.
func avroBomb(schema string, blocks int, count int64, content func(io.Writer) error) func(string) error {
	return func(path string) error {
		var block bytes.Buffer
		w, err := flate.NewWriter(&block, flate.BestSpeed)
		if err != nil {
			return err
		}
		if err := errors.Join(content(w), w.Close()); err != nil {
			return err
		}
		b := avroHead(schema, "deflate")
		for range blocks {
			b = appendBlock(b, count, block.Bytes())
		}
		return os.WriteFile(path, b, 0o600)
	}
}

// zeros writes n zeros.
func zeros(n int) func(io.Writer) error {
	return func(w io.Writer) (err error) {
		for piece := make([]byte, mib); n > 0 && err == nil; n -= mib {
			_, err = w.Write(piece[:min(n, mib)])
		}
		return err
	}
}

// avroArray writes an array of n elements of zeros.
func avroArray(n, each int) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(avroLong(int64(n)))
		return errors.Join(err, zeros(n*each+1)(w))
	}
}

// avroText writes a text of n control characters.
func avroText(n int) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(avroLong(int64(n)))
		return errors.Join(err, zeros(n)(w))
	}
}

// deepAvro writes a record within a record, very often.
func deepAvro(w io.Writer) (err error) {
	for piece, i := bytes.Repeat([]byte{2}, mib), 0; i < 200 && err == nil; i++ {
		_, err = w.Write(piece)
	}
	_, end := w.Write([]byte{0})
	return errors.Join(err, end)
}

// fcsBomb writes a file of flow cytometry with a text and zeros, compressed if its name says so.
func fcsBomb(text func(*bytes.Buffer), data int) func(string) error {
	return func(path string) error {
		var b bytes.Buffer
		text(&b)
		b.WriteByte('/')
		head := fmt.Sprintf("FCS3.1    %8d%8d%8d%8d%8d%8d", 64, 64+b.Len()-1, 0, 0, 0, 0)
		head += strings.Repeat(" ", 64-len(head)) + strings.NewReplacer("BEGIN-------", fmt.Sprintf("%12d", 64+b.Len()), "END---------", fmt.Sprintf("%12d", 64+b.Len()+data-1)).Replace(b.String())
		if !strings.HasSuffix(path, ".zst") {
			return os.WriteFile(path, []byte(head), 0o600)
		}
		return packed(zstdTo, head, strings.Repeat("\x00", 1000), data/1000)(path)
	}
}

// fcsPair returns a text that declares events of two numbers.
func fcsPair(events int) func(*bytes.Buffer) {
	return func(b *bytes.Buffer) { fcsColumns(b, 2, events) }
}

// fcsColumns writes a text that declares events of float32.
func fcsColumns(b *bytes.Buffer, columns, events int) {
	fmt.Fprintf(b, "/$BEGINDATA/BEGIN-------/$ENDDATA/END---------/$BYTEORD/1,2,3,4/$DATATYPE/F/$MODE/L/$PAR/%d/$TOT/%d", columns, events)
	for i := range columns {
		fmt.Fprintf(b, "/$P%dB/32/$P%dN/embedding_%d/$P%dR/2", i+1, i+1, i, i+1)
	}
}

// tensorsHead returns the beginning of a file of tensors.
func tensorsHead(header string) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
}

// bundle writes an archive with vectors and columns beside them, each of 200 million zeros. Zeros
// are compressed once.
func bundle(descr string, names ...string) func(string) error {
	return func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		defer f.Close()
		z := zip.NewWriter(f)
		errs := []error{part(z, "X.npy", npyHeader("|u1", fmt.Sprintf("%d, 1", many)), many)}
		copied := sync.OnceValues(func() (*zip.File, error) { return zippedPart(npyHeader(descr, fmt.Sprintf("%d,", many)), many) })
		for _, name := range names {
			m, err := copied()
			if err == nil {
				err = copyAs(z, m, name+".npy")
			}
			errs = append(errs, err)
		}
		return errors.Join(append(errs, z.Close(), f.Close())...)
	}
}

// zippedPart returns a compressed member.
func zippedPart(head []byte, zeros int) (*zip.File, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if err := errors.Join(part(z, "x", head, zeros), z.Close()); err != nil {
		return nil, err
	}
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		return nil, err
	}
	return r.File[0], nil
}

// copyAs adds a compressed member under another name.
func copyAs(z *zip.Writer, m *zip.File, name string) error {
	h := m.FileHeader
	h.Name = name
	raw, err := m.OpenRaw()
	if err != nil {
		return err
	}
	w, err := z.CreateRaw(&h)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, raw)
	return err
}
