package results

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// details separates the page from its largest table, which harness.WritePage moves to a separate
// page.
const details = "\n<!-- details -->\n"

const introduction = `# What breaking the stage has shown

` + "`make chaos-page`" + ` writes this page from the results of runs (docs/chaos). [operations.md](operations.md), "Fault injection", explains
the faults and what must hold. Package stream/chaos explains a run. "Begun" is the time in UTC; earlier runs have a dash.
`

const runsHead = `
## Faults

Each line is one run of a scenario, by a schedule that its seed determines. The judge knows only the final content of the topics. Faults at a
named moment happen at a certain request or answer, or while a file of the state is written. Wrong are outputs of no input, out of order,
with other rows, or with other bytes for the same offset and version. Only at-least-once delivery allows duplicates. Lag at rest: the difference between the group's committed offsets and the ends of its topic, markers of transactions included.

| scenario | broker | delivery | seed | faults | at named moments | inputs | placed | dead letters | lost | duplicates | wrong | lag at rest | minutes | begun | promises |
|---|---|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|---|
`

const topicsHead = `
## Topics that change

The source's topic is deleted and created again at random moments, with fewer or more messages, or gets more partitions. "Late" counts how often
reading everything took more than 10 s. No message may be delivered twice, with either kind of delivery.

| the topic is | broker | delivery | seed | times | inputs | lost | duplicates | late | median, s | longest, s | minutes | begun | promises |
|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|---|
`

const soakHead = `
## A steady rate

A stage that learns all the time. Figures are the mean of the last two thirds, and the growth along a fitted line.

| broker | begun | minutes | messages/s | inputs | lost | duplicates | maps | memory, MiB | goroutines | open files | promises |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|
`

const mutationsHead = `
## Damaged messages

Randomly damaged messages, decoded in processes of their own. Allocations include all garbage.

| format | messages | decoded all the same | refused | ended the process | most allocated for one | limit | minutes |
|---|---:|---:|---:|---:|---:|---:|---:|
`

const inflatingHead = `
## Messages that are large in memory

Messages that are small on the wire and large in memory: their decompressed size, the stage's peak of resident memory, and the bound of operations.md with the defaults.

| load | broker | messages | decompressed, MB | placed | dead letters | lost | most memory, MB | bound, MB | minutes | begun | promises |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|---|
`

// Page writes a page with all results in a folder.
func Page(w io.Writer, f Folder) error {
	runs, err := load[Run](f, "run")
	if err != nil {
		return err
	}
	soaks, err := load[Soak](f, "soak")
	if err != nil {
		return err
	}
	mutations, err := load[Mutations](f, "mutations")
	if err != nil {
		return err
	}
	inflatings, err := load[Inflating](f, "inflating")
	if err != nil {
		return err
	}
	topics, err := load[Topics](f, "topics")
	if err != nil {
		return err
	}
	if len(runs)+len(soaks)+len(mutations)+len(inflatings)+len(topics) == 0 {
		return fmt.Errorf("there are no results in %s", f)
	}
	var b strings.Builder
	b.WriteString(introduction)
	b.WriteString(overview(runs))
	var complaints []string
	for _, r := range runs {
		for _, c := range r.Complaints {
			complaints = append(complaints, fmt.Sprintf("- %s, seed %d: %s\n", r.Scenario, r.Seed, c))
		}
	}
	if len(complaints) > 0 {
		b.WriteString("\nWhat did not hold:\n\n" + strings.Join(complaints, ""))
	}
	table(&b, topicsHead, topics, Topics.line)
	table(&b, inflatingHead, inflatings, Inflating.line)
	table(&b, soakHead, soaks, Soak.line)
	table(&b, mutationsHead, byFormat(mutations), Mutations.line)
	if len(runs) > 0 {
		b.WriteString(details)
		table(&b, runsHead, runs, Run.line)
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// overview summarizes the runs with faults.
func overview(runs []Run) string {
	if len(runs) == 0 {
		return ""
	}
	counts, held := map[string]int{}, 0
	var inputs, lost, wrong, doubled int
	for _, r := range runs {
		for name, n := range r.Faults {
			counts[name] += n
		}
		inputs, lost, wrong = inputs+r.Inputs, lost+r.Lost, wrong+r.Wrong
		if r.Delivery == "exactly-once" {
			doubled += r.Duplicates
		}
		if len(r.Complaints) == 0 {
			held++
		}
	}
	return fmt.Sprintf("\n%d runs with faults (%s) read %d messages: %d lost, %d wrong outputs, %d duplicates with exactly-once delivery. All promises held in %d of these runs.\n",
		len(runs), faults(counts), inputs, lost, wrong, doubled, held)
}

// table writes a header and one line for each row, ordered by line.
func table[T any](b *strings.Builder, head string, rows []T, line func(T) string) {
	if len(rows) == 0 {
		return
	}
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = line(r)
	}
	slices.Sort(lines)
	b.WriteString(head)
	for _, l := range lines {
		b.WriteString(l)
	}
}

func (r Run) line() string {
	return fmt.Sprintf("| %s | %s | %s | %d | %s | %d | %d | %d | %d | %d | %d | %d | %s | %s | %s | %s |\n", r.Scenario, r.Broker, r.Delivery, r.Seed,
		faults(r.Faults), r.Named-r.Unmet, r.Inputs, r.Placed, r.Letters, r.Lost, r.Duplicates, r.Wrong, lag(r.Lag), minutes(r.Seconds), begun(r.Begun), kept(r.Complaints))
}

func (s Soak) line() string {
	return fmt.Sprintf("| %s | %s | %s | %.0f | %d | %d | %d | %d | %v | %v | %v | %s |\n", s.Broker, begun(s.Begun), minutes(s.Seconds), s.Rate, s.Inputs, s.Lost,
		s.Duplicates, s.Versions, s.Memory, s.Goroutines, s.Files, kept(s.Complaints))
}

func (i Inflating) line() string {
	return fmt.Sprintf("| %s | %s | %d | %.0f | %d | %d | %d | %.0f | %.0f | %s | %s | %s |\n", i.Load, i.Broker, i.Inputs, float64(i.Bytes)/1e6, i.Placed, i.Letters, i.Lost,
		float64(i.Peak)/1e6, float64(i.Bound)/1e6, minutes(i.Seconds), begun(i.Begun), kept(i.Complaints))
}

func (m Mutations) line() string {
	return fmt.Sprintf("| %s | %d | %d | %d | 0 | %.1f MiB | %d MiB | %s |\n", m.Format, m.Decoded+m.Refused, m.Decoded, m.Refused, float64(m.Most)/(1<<20), m.Limit>>20,
		minutes(m.Seconds))
}

// byFormat merges the pieces of each format.
func byFormat(pieces []Mutations) (all []Mutations) {
	of := map[string][]Mutations{}
	for _, p := range pieces {
		p.Format = cmp.Or(p.Format, "arrow")
		of[p.Format] = append(of[p.Format], p)
	}
	for format, pieces := range of {
		one := sum(pieces)
		one.Format = format
		all = append(all, one)
	}
	return all
}

// sum merges pieces. Pieces with the same beginning are the same piece; the longer one counts.
func sum(pieces []Mutations) (all Mutations) {
	slices.SortFunc(pieces, func(a, b Mutations) int { return cmp.Or(a.First-b.First, b.Lots-a.Lots) })
	next := 0
	for _, p := range pieces {
		if p.First < next {
			continue
		}
		next = p.First + p.Lots
		all.Seconds += p.Seconds
		all.Decoded += p.Decoded
		all.Refused += p.Refused
		all.Most, all.Limit = max(all.Most, p.Most), p.Limit
	}
	return all
}

// faults lists the number of each fault, the most frequent first.
func faults(counts map[string]int) string {
	var names []string
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", counts[name], name)
	}
	return strings.Join(names, ", ")
}

// begun formats the start of a run, as a dash if it is unknown.
func lag(offsets *int64) string {
	if offsets == nil {
		return "-"
	}
	return fmt.Sprint(*offsets)
}

func begun(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

func minutes(seconds float64) string {
	return fmt.Sprintf("%.1f", time.Duration(seconds*float64(time.Second)).Minutes())
}

func kept(complaints []string) string {
	if len(complaints) == 0 {
		return "kept"
	}
	return "**broken**"
}
