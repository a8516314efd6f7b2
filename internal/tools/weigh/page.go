package main

import (
	"fmt"
	"io"
	"time"
)

// page is the data of the page.
type page struct {
	when             time.Time
	machine, version string
	plain, release   int64
	parts            []weighed
	code             int64
	start            start
	variants         []weighed
}

const (
	// shown is the number of parts and packages with a row.
	shown = 16
	aim   = 45e6
	ready = 20 * time.Millisecond
)

func (p *page) write(w io.Writer) {
	mb := func(bytes int64) string { return fmt.Sprintf("%.1f", float64(bytes)/1e6) }
	fmt.Fprintf(w, `# What the program weighs

Written by %smake binary%s on %s, with %s for %s; only the sentences are typed by hand. The target is %s MB for the program
of a release, and %d ms from the start to the end of %sunfold version%s.

| program | MB |
|---|---|
| %sgo build%s, with symbols and debugging information | %s |
| as releases are built, %s-ldflags "-s -w"%s | **%s** |
`, "`", "`", p.when.Format(time.DateOnly), p.version, p.machine, mb(aim), ready.Milliseconds(), "`", "`", "`", "`", mb(p.plain), "`", "`", mb(p.release))
	for _, v := range p.variants {
		fmt.Fprintf(w, "| that, %s | %s |\n", v.name, mb(v.bytes))
	}
	fmt.Fprintf(w, `
## Code

Code is %s MB. Every MB of it needs about another %.1f MB of tables and constant data of the
runtime. The last column includes a part's share of these.

| part | code, MB | with its share, MB |
|---|---|---|
`, mb(p.code), float64(p.release-p.code)/float64(p.code))
	var rest int64
	for i, part := range p.parts {
		if i >= shown {
			rest += part.bytes
			continue
		}
		fmt.Fprintf(w, "| %s | %s | %s |\n", part.name, mb(part.bytes), mb(int64(float64(part.bytes)*float64(p.release)/float64(p.code))))
	}
	fmt.Fprintf(w, "| %d others | %s | %s |\n", max(0, len(p.parts)-shown), mb(rest), mb(int64(float64(rest)*float64(p.release)/float64(p.code))))
	fmt.Fprint(w, decided)
	p.start.write(w)
}

const decided = `
## What was decided

- **Arrow is the heaviest part, and stays.** Two thirds of it are kernels of its package ` + "`compute`" + `, in assembly for two kinds of processor. The
  reader and writer of Parquet (` + "`pqarrow`" + `) and ` + "`ingest`" + ` import it, and it registers all kernels at the start, so that the linker drops
  none. The target needs a reader of Parquet without it, and constant names in kong. Parquet is read by version 18, which reads encodings that
  version 15 calls corrupt; that made the program 7 MB larger. Version 15 reads Arrow IPC.
- **S3 stays in every program, through gocloud.dev.** A thinner client such as minio-go takes the larger half of its weight again, and lacks FIPS
  and dual-stack endpoints, ` + "`profile`" + ` with single sign-on, and access points. Amazon's MSK links most of it anyway.
- **Google's and Azure's clients** are behind the build tags ` + "`gcs` and `azure`" + `.
- **Methods that are looked up by name.** kong looks up hooks by a variable name, so the linker keeps every exported method of every type
  in use. A small change in kong would avoid that.
- **Fonts.** Pictures need two faces of one font; only these are linked, instead of twelve.
`

// write is the page's second half.
func (s *start) write(w io.Writer) {
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond)) }
	fmt.Fprintf(w, `
## A start

%d starts of %sunfold version%s: the least and the median processor time are %s and %s ms, by the clock %s and %s ms.
The least is the program's own; medians grow with other work on the machine.

%d packages initialise before the program's first line, %s ms together; the rest is spent on loading pages and one garbage collection.

| package | ms | kB |
|---|---|---|
`, len(s.cpu), "`", "`", ms(s.cpu[0]), ms(s.cpu[len(s.cpu)/2]), ms(s.wall[0]), ms(s.wall[len(s.wall)/2]), s.packages, ms(s.all))
	for _, i := range s.inits[:min(shown, len(s.inits))] {
		fmt.Fprintf(w, "| %s | %.2f | %d |\n", i.name, float64(i.took)/float64(time.Millisecond), i.bytes/1000)
	}
}
