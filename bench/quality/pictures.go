package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"unfold/bench/internal/harness"
	"unfold/bench/internal/sheet"
)

// Pictures are drawn at this size, so that legends fit, and halved, because a page has many.
const (
	drawnWidth  = 1000
	drawnHeight = 800
)

// pictures draws the maps of a data set next to the page and returns the Markdown that shows them,
// empty if there is none.
func (b *bench) pictures(ctx context.Context, page string, p *prepared) (string, error) {
	dir := filepath.Join(filepath.Dir(page), b.folder)
	var head, rule, row strings.Builder
	for _, m := range contest(byDefault) {
		if b.results[p.name+"/"+m.key] == nil {
			continue
		}
		name := p.name + "-" + m.key + ".png"
		err := b.draw(ctx, p, m, filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			// The result comes from the folder next to the page, and so does its picture.
			_, err = os.Stat(filepath.Join(dir, name))
		}
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&head, "| %s ", m.title)
		rule.WriteString("|---")
		fmt.Fprintf(&row, "| ![%s by %s](%s/%s) ", p.title, m.title, b.folder, name)
	}
	if head.Len() == 0 {
		return "", nil
	}
	return fmt.Sprintf("%s|\n%s|\n%s|\n", head.String(), rule.String(), row.String()), nil
}

// draw draws one map, coloured by label or by a known number. If most rows have no label, it draws
// only those with one.
func (b *bench) draw(ctx context.Context, p *prepared, m method, to string) error {
	name := labelColumn
	if !p.labelled() {
		name = p.color
	}
	values, err := harness.Column(p.beside, name)
	if err != nil {
		return err
	}
	table := strings.TrimSuffix(b.mapFile(p.name, m.key), ".npy") + ".csv"
	if err := writeMap(ctx, b.mapFile(p.name, m.key), table, name, values); err != nil {
		return err
	}
	large := strings.TrimSuffix(table, ".csv") + ".png"
	if _, err := b.command(ctx, b.unfold, "plot", "-q", table, "-o", large, "--color", name, "--title", m.title,
		"--width", strconv.Itoa(drawnWidth), "--height", strconv.Itoa(drawnHeight)); err != nil {
		return err
	}
	picture, err := sheet.Read(large)
	if err != nil {
		return err
	}
	var small bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, halved(picture)); err != nil {
		return err
	}
	return os.WriteFile(to, small.Bytes(), 0o666)
}

// halved returns the picture at half its size. Every pixel is the mean of four, in 16 shades per
// colour, which keeps the file small.
func halved(p image.Image) *image.NRGBA {
	r := p.Bounds()
	out := image.NewNRGBA(image.Rect(0, 0, r.Dx()/2, r.Dy()/2))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			var sum [3]uint32
			for i := range 4 {
				red, green, blue, _ := p.At(r.Min.X+2*x+i%2, r.Min.Y+2*y+i/2).RGBA()
				sum[0], sum[1], sum[2] = sum[0]+red, sum[1]+green, sum[2]+blue
			}
			shade := func(v uint32) uint8 { return uint8((v*15 + 2*0xffff) / (4 * 0xffff) * 17) }
			out.SetNRGBA(x, y, color.NRGBA{shade(sum[0]), shade(sum[1]), shade(sum[2]), 255})
		}
	}
	return out
}
