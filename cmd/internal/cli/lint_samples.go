package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/stage"
	"unfold/ingest/input"
	"unfold/ingest/table"
	"unfold/stream"
)

const (
	// mostSamples is the number of messages that are checked. largestSample bounds the bytes of one
	// file.
	mostSamples, largestSample = 1000, 256 << 20
	// mostProblems is the number of bad messages that are reported individually.
	mostProblems = 10
)

// sampleFiles reads saved messages: a file, the lines of a file if each is JSON, or the files of a
// folder. more is set if there are more messages than are checked.
func sampleFiles(p *program, patterns []string) (samples []stage.Sample, more bool, err error) {
	paths, err := input.Glob(patterns)
	if err != nil {
		return nil, false, err
	}
	for _, path := range paths {
		files := []string{path}
		if info, err := os.Stat(path); path != "-" && err == nil && info.IsDir() {
			if files, err = filesOf(path); err != nil {
				return nil, false, err
			}
		}
		for _, file := range files {
			content, err := sampleBytes(p, file)
			if err != nil {
				return nil, false, err
			}
			samples = append(samples, messagesOf(file, content)...)
		}
	}
	if len(samples) > mostSamples {
		return samples[:mostSamples], true, nil
	}
	return samples, false, nil
}

// filesOf returns the files of a folder in sorted order, except hidden ones.
func filesOf(folder string) (files []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, filepath.Join(folder, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, table.Origin{File: folder}.Bad("the folder holds no files").Suggest("save one message per file")
	}
	return files, nil
}

func sampleBytes(p *program, file string) ([]byte, error) {
	from := p.Stdin
	if file != "-" {
		f, err := os.Open(file)
		if errors.Is(err, os.ErrNotExist) {
			return nil, table.Origin{File: file}.Bad("the file does not exist")
		}
		if err != nil {
			return nil, err
		}
		defer f.Close()
		from = f
	}
	content, err := io.ReadAll(io.LimitReader(from, largestSample+1))
	if err == nil && len(content) > largestSample {
		return nil, table.Origin{File: file}.Bad("it is larger than %s; save fewer messages", humanize.Bytes(largestSample))
	}
	return content, err
}

// messagesOf returns the messages of a file: one message per line if the first line is JSON and others
// follow, otherwise one message.
func messagesOf(file string, content []byte) []stage.Sample {
	name := table.Origin{File: file}.String()
	if len(content) == 0 {
		return []stage.Sample{{Where: name}} // a tombstone
	}
	first, rest, _ := bytes.Cut(bytes.TrimSpace(content), []byte("\n"))
	if len(bytes.TrimSpace(rest)) == 0 || !json.Valid(first) || !slices.Contains([]byte("{["), first[0]) {
		return []stage.Sample{{Where: name, Message: stream.Message{Value: content}}}
	}
	var samples []stage.Sample
	n := 0
	for line := range bytes.Lines(content) {
		n++
		if line = bytes.TrimSpace(line); len(line) > 0 {
			samples = append(samples, stage.Sample{Where: fmt.Sprintf("%s, line %d", name, n), Message: stream.Message{Value: line}})
		}
		if len(samples) > mostSamples {
			break
		}
	}
	return samples
}

// lintSamples reports how the stage would process saved messages.
func (l *lintCmd) lintSamples(ctx context.Context, p *program, settings stage.Settings) error {
	samples, more, err := sampleFiles(p, l.Sample)
	if err != nil {
		return err
	}
	seen, err := stage.Look(ctx, settings, samples)
	if err != nil {
		return err
	}
	if good := len(samples) - len(seen.Problems); good > 0 && len(seen.Unknown) == 0 {
		p.printf("ok       %s%s\n", humanize.Plural(good, "message"), describeSamples(seen))
	}
	if more {
		p.printf("note     there are more messages; the first %s were looked at\n", humanize.Count(mostSamples))
	}
	showColumns(p.people(), seen)
	if pins := seen.Pins(); len(pins) > 0 {
		p.printf("note     outputs in Avro have one type a column; to pin those found here: source: {types: [%s]}\n", strings.Join(pins, ", "))
	}
	for _, c := range seen.Columns {
		if c.Events == 0 && seen.Events > 0 && c.Role != stage.NotUsed && len(seen.Unknown) == 0 {
			p.printf("note     column %q, %s, has no value in any event\n", c.Name, c.Role)
		}
	}
	if len(seen.Unknown) > 0 { // this error would repeat for every message
		for _, err := range seen.Unknown {
			p.printf("wrong    %v\n", err)
		}
		return errors.New("the configuration names columns that no message has")
	}
	for i, problem := range seen.Problems {
		if i == mostProblems {
			p.printf("wrong    %s more\n", humanize.Count(len(seen.Problems)-i))
			break
		}
		text := problem.Err.Error()
		if !strings.HasPrefix(text, problem.Where) {
			text = problem.Where + ": " + text
		}
		p.printf("wrong    %s\n", text)
	}
	if len(seen.Problems) > 0 {
		return fmt.Errorf("the stage would make dead letters of %s of %s", humanize.Count(len(seen.Problems)), humanize.Plural(len(samples), "message"))
	}
	return nil
}

// describeSamples summarizes the good messages in one line.
func describeSamples(seen *stage.Seen) (text string) {
	if seen.Placed > 0 {
		text = ": " + seen.Brief()
	}
	if seen.Gone > 0 {
		text += "; " + humanize.Plural(seen.Gone, "deletion")
	}
	if seen.Eventless > 0 {
		text += "; " + humanize.Plural(seen.Eventless, "message") + " without events"
	}
	if seen.Unchanged > 0 {
		text += "; " + humanize.Plural(seen.Unchanged, "change") + " without the vector"
	}
	return text
}

// showColumns lists the columns with an example of each.
func showColumns(w io.Writer, seen *stage.Seen) {
	if len(seen.Columns) == 0 {
		return
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	defer tw.Flush()
	fmt.Fprintf(tw, "\n         column\ttype\texample\tused as\n")
	for _, c := range seen.Columns {
		role := c.Role
		if c.Events < seen.Events {
			role += fmt.Sprintf(" (in %s of %s)", humanize.Count(c.Events), humanize.Plural(seen.Events, "event"))
		}
		fmt.Fprintf(tw, "         %s\t%s\t%s\t%s\n", c.Name, c.Type(), c.Example, role)
	}
	fmt.Fprintln(tw)
}
