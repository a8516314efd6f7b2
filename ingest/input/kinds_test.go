package input

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// Files as other programs wrote them (msgpack, cbor2, bson and onnx of Python) are named.
func TestFurtherKindsAreNamed(t *testing.T) {
	raw := func(s string) string {
		b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	zeros := strings.Repeat("\x00", 200)
	for _, c := range []struct{ head, want string }{
		{raw("92 82a161cb3ff8000000000000a162cb4004000000000000 82a161cb400c000000000000a16202"), "MessagePack"},
		{raw("82a161cb3ff8000000000000a16202 82a161cb400c000000000000a16203"), "MessagePack"},
		{raw("81a176 93 cb3ff8000000000000cb4004000000000000cb400c000000000000"), "MessagePack"},
		{raw("82 a26161fb3ff8000000000000616202 a26161fb400c000000000000616203"), "CBOR"},
		{raw("d9d9f7 81 a1616101"), "CBOR"},
		{raw("10000000 0161 00 000000000000f83f 00"), "BSON"},
		{raw("080e 3a33 0a0c 0a0178 1201 79 2204 52656c75 1201 67"), "a model (ONNX)"},
		{raw("0808 1207 7079746f726368 1a03 322e30 3a80 01 0a0c"), "a model (ONNX)"},
		{raw("7c070000 10000000 00000a00 0c000600 05000800 0a000000"), "an Arrow stream of a version before 0.15"},
		{raw("5d7100 28 473ff8000000000000 47"), "a Python pickle"},
		{zeros[:16] + "\xde\xc0\xef\xbe\x01\x00\x00\x00", "an LMDB database"},
		{strings.Repeat("\x00", 512) + "\x89HDF\r\n\x1a\n", "an HDF5 file"},
		{strings.Repeat("\x00", 128) + "DICM\x02\x00", "a medical picture (DICOM)"},
		{"BM\x86\x04\x00\x00\x00\x00\x00\x00\x36\x00", "a picture (BMP)"},
		{"RIFF\x92\x00\x00\x00WEBPVP8 ", "a picture (WebP)"},
		{"]\x00\x00\x80\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00\x3c", "compressed by lzma"},
		{"<data>\n<row><a>1</a></row></data>", "an XML or HTML file"},
		{"\n<!-- made -->\n<body><p>a</p></body>", "an XML or HTML file"},
		{"{ \"type\": \"FeatureCollection\", \"features\": []}", "GeoJSON"},
		{"ply\nformat ascii 1.0\n", "a point cloud or mesh (PLY)"},
	} {
		if s, known := RecognizeFile([]byte(c.head)); !known || s.Is != c.want || s.File == "" {
			t.Errorf("%q is %q, want %q", c.head, s.Is, c.want)
		}
	}
}

// Text, random bytes and plain numbers are not taken for another format.
func TestOtherBytesAreNoKind(t *testing.T) {
	for _, text := range []string{"a,b\n1,2\n", "<5,>7\n1,2\n", "<a>,<b>\n1,2\n", "BM,x\n1,2\n", "MZ;y\n1;2\n", "root,x\n", "ID3,x\n1,2\n", "P5 3\n4 5\n", "{\"type\":\"x\",\"v\":[1,2]}\n",
		"]q,x\n1,2\n", "\x93\xfa\x95t,\x92l\n1,2\n", "\x82\xa0,\x82\xa2\n1,2\n", "\xcc\xe2,1\n\xe4,2\n", "x^2,x\n1,2\n", "0       1\n", "# .PCD\n1\n", "a\x01b\n1\x012\n"} {
		if s, known := RecognizeFile([]byte(text)); known {
			t.Errorf("%q is taken for %s", text, s.Is)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	wrong := map[string]int{}
	const draws = 4000
	for i := range draws {
		b := make([]byte, 4096)
		for k := 0; k < len(b); k += 4 {
			if i%2 == 0 {
				binary.LittleEndian.PutUint32(b[k:], rng.Uint32())
			} else {
				binary.LittleEndian.PutUint32(b[k:], math.Float32bits(float32(rng.NormFloat64())))
			}
		}
		if s, known := RecognizeFile(b); known {
			wrong[s.Is]++
		}
	}
	n := 0
	for _, c := range wrong {
		n += c
	}
	if n > draws/1000 {
		t.Errorf("%d of %d are taken for another format: %v", n, draws, wrong)
	}
}
