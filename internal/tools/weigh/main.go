package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

func main() {
	log.SetFlags(0)
	out := flag.String("o", "docs/decisions/binary.md", "page to write")
	runs := flag.Int("runs", 40, "starts to measure")
	flag.Parse()
	page, err := weigh(*runs)
	if err == nil {
		err = os.WriteFile(*out, page, 0o644)
	}
	if err != nil {
		log.Fatal(fmt.Errorf("weigh: %w", err))
	}
}

// weigh measures and writes the page.
func weigh(runs int) ([]byte, error) {
	dir, err := os.MkdirTemp("", "weigh")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	p := page{when: time.Now(), machine: runtime.GOOS + "/" + runtime.GOARCH, version: runtime.Version()}
	whole := filepath.Join(dir, "whole")
	if p.plain, err = build(whole); err != nil {
		return nil, err
	}
	if p.parts, p.code, err = symbols(whole); err != nil {
		return nil, err
	}
	release := filepath.Join(dir, "release")
	if p.release, err = build(release, "-ldflags=-s -w"); err != nil {
		return nil, err
	}
	if p.start, err = starts(release, runs); err != nil {
		return nil, err
	}
	for _, v := range variants {
		log.Printf("weigh: %s", v.name)
		flags, err := v.prepare(dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.name, err)
		}
		size, err := build(filepath.Join(dir, "variant"), append(flags, "-ldflags=-s -w")...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.name, err)
		}
		p.variants = append(p.variants, weighed{v.name, size})
	}
	b := new(bytes.Buffer)
	p.write(b)
	return b.Bytes(), nil
}
