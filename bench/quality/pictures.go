package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Pictures are small, since a page shows many; a row holds those of a contest.
const pictureSize = 400

// pictures draws the maps of a data set beside the page and returns the Markdown
// that shows them, empty if there is none.
func (b *bench) pictures(ctx context.Context, page string, p *prepared) (string, error) {
	folder := strings.TrimSuffix(filepath.Base(page), ".md")
	dir := filepath.Join(filepath.Dir(page), folder)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	var head, rule, row strings.Builder
	for _, m := range contest(byDefault) {
		if b.results[p.name+"/"+m.key] == nil {
			continue
		}
		if _, err := os.Stat(b.mapFile(p.name, m.key)); err != nil {
			return "", err
		}
		name := p.name + "-" + m.key + ".png"
		if err := b.draw(ctx, p, m, filepath.Join(dir, name)); err != nil {
			return "", err
		}
		fmt.Fprintf(&head, "| %s ", m.title)
		rule.WriteString("|---")
		fmt.Fprintf(&row, "| ![%s by %s](%s/%s) ", p.title, m.title, folder, name)
	}
	if head.Len() == 0 {
		return "", nil
	}
	return fmt.Sprintf("%s|\n%s|\n%s|\n", head.String(), rule.String(), row.String()), nil
}

// draw draws one map, coloured by label or by a known number. A set whose rows
// mostly have no label shows those that have one.
func (b *bench) draw(ctx context.Context, p *prepared, m method, to string) error {
	name := "label"
	if !p.labelled() {
		name = p.color
	}
	values, err := column(p.beside, name)
	if err != nil {
		return err
	}
	table := strings.TrimSuffix(b.mapFile(p.name, m.key), ".npy") + ".csv"
	if err := writeMap(ctx, b.mapFile(p.name, m.key), table, values); err != nil {
		return err
	}
	size := strconv.Itoa(pictureSize)
	_, err = b.command(ctx, b.unfold, "plot", "-q", table, "-o", to, "--color", "label", "--title", p.title+", "+m.title,
		"--width", size, "--height", size)
	return err
}
