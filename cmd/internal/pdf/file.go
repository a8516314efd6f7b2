package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"image/color"
	"io"
	"maps"
	"math"
	"slices"
)

// These are the numbers of a file's objects: the catalogue, the page tree, the page, its contents,
// and then graphics states, forms and images.
const (
	catalogObject = 1 + iota
	pagesObject
	pageObject
	contentObject
	firstObject
)

// file is the part of a PDF written so far.
type file struct {
	bytes.Buffer
	at []int // where object i+1 begins
}

// WriteTo writes the page as a file.
func (c *Canvas) WriteTo(w io.Writer) (int64, error) {
	var f file
	f.WriteString("%PDF-1.4\n%\xE2\xE3\xCF\xD3\n")
	f.object("<< /Type /Catalog /Pages %d 0 R >>", pagesObject)
	f.object("<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", pageObject)
	next := firstObject
	var states, things bytes.Buffer
	for _, a := range slices.Sorted(maps.Keys(c.alphas)) {
		fmt.Fprintf(&states, "/A%d %d 0 R ", a, next)
		next++
	}
	for k := range c.forms {
		fmt.Fprintf(&things, "/G%d %d 0 R ", k, next)
		next++
	}
	for k := range c.images { // each with its mask
		fmt.Fprintf(&things, "/I%d %d 0 R ", k, next)
		next += 2
	}
	f.object("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %s %s] /Contents %d 0 R\n"+
		"/Group << /S /Transparency /CS /DeviceRGB >>\n/Resources << /ExtGState << %s>> /XObject << %s>> >> >>",
		pagesObject, decimal(float64(c.w)), decimal(float64(c.h)), contentObject, states.String(), things.String())
	f.stream("", c.content.Bytes())
	for _, a := range slices.Sorted(maps.Keys(c.alphas)) {
		f.object("<< /Type /ExtGState /ca %s /CA %[1]s >>", decimal(float64(a)/255))
	}
	for _, form := range c.forms {
		b := int(math.Ceil(form.box))
		f.stream(fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [%d %d %d %d]", -b, -b, b, b), []byte(form.path))
	}
	for _, img := range c.images {
		f.image(img)
	}
	f.end()
	return f.Buffer.WriteTo(w)
}

func (f *file) object(format string, args ...any) {
	f.at = append(f.at, f.Len())
	fmt.Fprintf(f, "%d 0 obj\n", len(f.at))
	fmt.Fprintf(f, format, args...)
	f.WriteString("\nendobj\n")
}

// stream writes the next object: compressed bytes and further entries of its dictionary.
func (f *file) stream(dictionary string, raw []byte) {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(raw) // writing to a buffer never fails
	_ = z.Close()
	f.object("<< %s /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream", dictionary, packed.Len(), packed.Bytes())
}

// image writes an image's colours and, as the next object, its opacities.
func (f *file) image(img image.Image) {
	r := img.Bounds()
	rgb, alpha := make([]byte, 0, 3*r.Dx()*r.Dy()), make([]byte, 0, r.Dx()*r.Dy())
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			rgb, alpha = append(rgb, c.R, c.G, c.B), append(alpha, c.A)
		}
	}
	head := fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8 /Interpolate true", r.Dx(), r.Dy())
	f.stream(fmt.Sprintf("%s /ColorSpace /DeviceRGB /SMask %d 0 R", head, len(f.at)+2), rgb)
	f.stream(head+" /ColorSpace /DeviceGray", alpha)
}

// end writes the table of objects and its position.
func (f *file) end() {
	table := f.Len()
	fmt.Fprintf(f, "xref\n0 %d\n0000000000 65535 f \n", len(f.at)+1)
	for _, at := range f.at {
		fmt.Fprintf(f, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(f, "trailer\n<< /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(f.at)+1, catalogObject, table)
}
