package browser

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"slices"
)

// Animate writes pictures of one size as an endlessly repeating animated PNG, each shown for the
// given hundredths of a second (chunks acTL, fcTL and fdAT of the PNG Specification, third edition,
// 2025). All pictures share a palette. It has the most frequent colours exactly. The other colours
// are rounded to five bits a channel; the palette has those that are frequent and far from the
// chosen ones.
func Animate(w io.Writer, pictures []image.Image, hundredths uint16) error {
	if len(pictures) == 0 {
		return errors.New("no pictures")
	}
	palette := paletteOf(pictures)
	out := &chunks{w: w}
	out.raw([]byte("\x89PNG\r\n\x1a\n"))
	number := uint32(0)
	next := func() []byte { number++; return binary.BigEndian.AppendUint32(nil, number-1) }
	var before *image.Paletted
	for i, p := range pictures {
		now := indexed(p, palette)
		area := now.Bounds()
		if before != nil {
			area = changed(before, now)
		}
		parts, err := split(now.SubImage(area))
		if err != nil {
			return err
		}
		if i == 0 {
			out.add("IHDR", parts["IHDR"])
			out.add("acTL", binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(len(pictures))), 0))
			out.add("PLTE", parts["PLTE"])
		}
		control := next()
		for _, v := range []int{area.Dx(), area.Dy(), area.Min.X, area.Min.Y} {
			control = binary.BigEndian.AppendUint32(control, uint32(v))
		}
		control = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(control, hundredths), 100)
		out.add("fcTL", append(control, 0, 0)) // not blended with the previous picture
		if i == 0 {
			out.add("IDAT", parts["IDAT"])
		} else {
			out.add("fdAT", append(next(), parts["IDAT"]...))
		}
		before = now
	}
	out.add("IEND", nil)
	return out.err
}

// Frames returns the number of pictures of an animated PNG, 0 for other files.
func Frames(data []byte) int {
	for at := 8; at+12 <= len(data); {
		n := int(binary.BigEndian.Uint32(data[at:]))
		if string(data[at+4:at+8]) == "acTL" && n == 8 {
			return int(binary.BigEndian.Uint32(data[at+8:]))
		}
		at += 12 + n
	}
	return 0
}

// chunks writes the chunks of a PNG.
type chunks struct {
	w   io.Writer
	err error
}

func (c *chunks) raw(b []byte) {
	if c.err == nil {
		_, c.err = c.w.Write(b)
	}
}

func (c *chunks) add(kind string, data []byte) {
	body := append([]byte(kind), data...)
	c.raw(binary.BigEndian.AppendUint32(nil, uint32(len(data))))
	c.raw(body)
	c.raw(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(body)))
}

// split encodes a picture and returns its chunks, with those of one kind joined.
func split(p image.Image) (map[string][]byte, error) {
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, p); err != nil {
		return nil, err
	}
	parts := map[string][]byte{}
	for data := b.Bytes()[8:]; len(data) >= 12; {
		n := int(binary.BigEndian.Uint32(data))
		kind := string(data[4:8])
		parts[kind] = append(parts[kind], data[8:8+n]...)
		data = data[12+n:]
	}
	return parts, nil
}

// exactly is the number of exact colours of a palette.
const exactly = 96

// coarse is a colour with five bits a channel.
func coarse(c color.RGBA) color.RGBA {
	five := func(v uint8) uint8 { return uint8(int(v>>3) * 255 / 31) }
	return color.RGBA{five(c.R), five(c.G), five(c.B), 255}
}

// paletteOf returns the best palette for some pictures.
func paletteOf(pictures []image.Image) color.Palette {
	count := map[color.RGBA]int{}
	for _, p := range pictures {
		each(p, func(_, _ int, c color.RGBA) { count[c]++ })
	}
	var out color.Palette
	for _, c := range frequent(count, exactly) {
		out = append(out, c)
		delete(count, c)
	}
	rest := map[color.RGBA]int{}
	for c, n := range count {
		rest[coarse(c)] += n
	}
	// far is the squared distance of each colour to the nearest chosen one.
	far := map[color.RGBA]float64{}
	nearer := func(to color.RGBA) {
		for c := range rest {
			if d := apart(c, to); far[c] == 0 || d < far[c] {
				far[c] = d
			}
		}
	}
	for _, c := range out {
		nearer(c.(color.RGBA))
	}
	for len(out) < 255 && len(rest) > 0 {
		weight := map[color.RGBA]int{}
		for c, n := range rest {
			weight[c] = int(far[c] * math.Sqrt(float64(n)))
		}
		c := frequent(weight, 1)[0]
		out = append(out, c)
		delete(rest, c)
		nearer(c)
	}
	return out
}

// apart returns the squared distance of two colours.
func apart(a, b color.RGBA) float64 {
	r, g, blue := float64(a.R)-float64(b.R), float64(a.G)-float64(b.G), float64(a.B)-float64(b.B)
	return r*r + g*g + blue*blue
}

// frequent returns at most most of the most frequent colours.
func frequent(count map[color.RGBA]int, most int) []color.RGBA {
	all := make([]color.RGBA, 0, len(count))
	for c := range count {
		all = append(all, c)
	}
	word := func(c color.RGBA) uint32 { return uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B) }
	slices.SortFunc(all, func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(word(a), word(b)))
	})
	return all[:min(most, len(all))]
}

// each calls f with the pixels of a picture.
func each(p image.Image, f func(x, y int, c color.RGBA)) {
	b := p.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, blue, _ := p.At(x, y).RGBA()
			f(x-b.Min.X, y-b.Min.Y, color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(blue >> 8), 255})
		}
	}
}

// indexed returns a picture with each pixel in the nearest colour of a palette.
func indexed(p image.Image, palette color.Palette) *image.Paletted {
	out := image.NewPaletted(image.Rect(0, 0, p.Bounds().Dx(), p.Bounds().Dy()), palette)
	known := map[color.RGBA]uint8{}
	each(p, func(x, y int, c color.RGBA) {
		i, there := known[c]
		if !there {
			i = uint8(palette.Index(c))
			known[c] = i
		}
		out.SetColorIndex(x, y, i)
	})
	return out
}

// changed returns the part of a picture that differs from the previous one, at least one pixel.
func changed(before, now *image.Paletted) image.Rectangle {
	var out image.Rectangle
	for y := range now.Rect.Dy() {
		a, b := before.Pix[y*before.Stride:][:now.Rect.Dx()], now.Pix[y*now.Stride:][:now.Rect.Dx()]
		for x := range a {
			if a[x] != b[x] {
				out = out.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if out.Empty() {
		return image.Rect(0, 0, 1, 1)
	}
	return out
}
