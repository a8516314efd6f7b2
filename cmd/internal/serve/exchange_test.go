package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

func exchange(m *Model, l Limits) *Exchange {
	return &Exchange{Current: func() (*Model, error) { return m, nil }, Placer: &Placer{Limits: l}}
}

// Each request gets one line, in order, before the next is sent: an object for an object, an array
// for an array, and an object with the key error for a failed request.
func TestLines(t *testing.T) {
	m := model(t)
	in, send := io.Pipe()
	receive, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := exchange(m, Limits{Body: 1000}).Lines(t.Context(), in, out)
		out.CloseWithError(io.EOF)
		done <- err
	}()
	answers := bufio.NewReader(receive)
	for i, c := range []struct{ line, want string }{
		{`{"event": 7, "class": "a", "v": [1, 2, 3, 4]}`, `{"id":7,"class":"a","x":`},
		{"", `{"error":"the body is empty`},
		{`[{"event": 1, "v": [1, 2, 3, 4]}, {"event": 2, "v": [4, 3, 2, 1]}]`, `[{"id":1,`},
		{`[]`, `[]`},
		{`{"v": [1, 2]}`, `"row":1,"column":"v"`},
		{"{\"v\": \"\\ud800\xff", `{"error":`},
		{strings.Repeat("x", 1001), `{"error":"the body has more than 1000 bytes`},
		{strings.Repeat(" ", 200_000), `more than 1000 bytes`},
		{`{"event": "text\n", "v": [1, 2, 3, 4]}` + "\r", `{"id":"text\n",`},
	} {
		if _, err := send.Write([]byte(c.line + "\n")); err != nil {
			t.Fatal(err)
		}
		got, err := answers.ReadString('\n')
		if err != nil || !strings.Contains(got, c.want) || !json.Valid([]byte(got)) {
			t.Errorf("line %d: %q, %v, want %q", i+1, got, err, c.want)
		}
	}
	// The last line needs no line break.
	go func() {
		send.Write([]byte(`{"v": [1, 2, 3, 4]}`))
		send.Close()
	}()
	if rest, err := io.ReadAll(answers); err != nil || bytes.Count(rest, []byte("\n")) != 1 || !strings.HasPrefix(string(rest), `{"id":0,"x":`) {
		t.Errorf("the last line: %q, %v", rest, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Each row of an Arrow stream gets a line, even if it cannot be placed.
func TestLinesOfArrow(t *testing.T) {
	m := model(t)
	records := sample(t, 3, 3)
	x := vec.New[float32](3, dim)
	for i, v := range vectorsOf(t, records) {
		copy(x.Row(i), v)
	}
	x.Row(1)[2] = float32(math.NaN())
	records, err := table.NewTable(table.Origin{}, table.VectorColumn("v", x))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := exchange(m, Limits{}).Lines(t.Context(), bytes.NewReader(encoded(t, records)), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for i, want := range []string{`{"id":0,"x":`, `{"error":"standard input: row 2, column \"v\"`, `{"id":2,"x":`, ""} {
		if len(lines) != 4 || !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d of %q, want %s", i+1, lines, want)
		}
	}
	if err := exchange(m, Limits{}).Lines(t.Context(), bytes.NewReader(encoded(t, records)[:100]), io.Discard); err == nil {
		t.Error("a stream that is cut off is no error")
	}
}

// However requests are split into reads, and even if they are invalid, each gets one line of JSON.
func TestLinesAreNeverMissing(t *testing.T) {
	m := model(t)
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.OneOf(rapid.Just(`{"v": [1, 2, 3, 4]}`), rapid.StringMatching(`[^\n]{0,20}`),
			rapid.Custom(func(t *rapid.T) string {
				return fmt.Sprintf(`{"v": %s}`, rapid.SampledFrom([]string{"1", "[1,2,3]", "[1,2,3,null]", "[1e300,1,1,1]", "{}", `"1,2,3,4"`}).Draw(t, "v"))
			}))
		lines := rapid.SliceOfN(line, 0, 20).Draw(t, "lines")
		text := strings.Join(lines, "\n")
		if len(lines) > 0 {
			text += "\n"
		}
		var in io.Reader = strings.NewReader(text)
		if rapid.Bool().Draw(t, "bytewise") {
			in = iotest.OneByteReader(in)
		}
		var out bytes.Buffer
		if err := exchange(m, Limits{}).Lines(context.Background(), in, &out); err != nil {
			t.Fatal(err)
		}
		answers := strings.SplitAfter(out.String(), "\n")
		if len(answers) != len(lines)+1 || answers[len(lines)] != "" {
			t.Fatalf("%d answers to %d lines: %q", len(answers)-1, len(lines), answers)
		}
		for i, a := range answers[:len(lines)] {
			if !json.Valid([]byte(a)) {
				t.Errorf("line %d, %q: %q", i+1, lines[i], a)
			}
		}
	})
}

// A write error and a read error end the exchange with that error.
func TestLinesThatBreak(t *testing.T) {
	m, broken := model(t), errors.New("broken")
	err := exchange(m, Limits{}).Lines(t.Context(), iotest.ErrReader(broken), io.Discard)
	if !errors.Is(err, broken) {
		t.Errorf("reading: %v", err)
	}
	r, w := io.Pipe()
	r.CloseWithError(broken)
	if err := exchange(m, Limits{}).Lines(t.Context(), strings.NewReader("{}\n"), w); !errors.Is(err, broken) {
		t.Errorf("writing: %v", err)
	}
	in, send := io.Pipe()
	defer send.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := exchange(m, Limits{}).Lines(ctx, in, io.Discard); err != nil {
		t.Errorf("a context that is done: %v", err)
	}
}

func framed(body []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

// Frames are answered in their own format, errors in JSON. A frame that is too long is skipped, an
// incomplete one ends the exchange.
func TestFrames(t *testing.T) {
	m := model(t)
	var in, out bytes.Buffer
	for _, body := range [][]byte{
		encoded(t, sample(t, 3, 4)), []byte(`{"vectors": [[1, 2, 3, 4]]}`), []byte("{"), make([]byte, 5000), nil, encoded(t, sample(t, 3, 1)),
	} {
		in.Write(framed(body))
	}
	in.Write([]byte{0, 0, 0, 9, '{'})
	x := exchange(m, Limits{Body: 4000})
	x.Options.Neighbors = 2
	if err := x.Frames(t.Context(), &in, &out); err == nil || !strings.Contains(err.Error(), "within a frame of 9 bytes") {
		t.Errorf("an input that is cut off: %v", err)
	}
	var answers [][]byte
	for r := bufio.NewReader(&out); ; {
		body, err := ReadFrame(r, 1<<20)
		if err != nil {
			break
		}
		answers = append(answers, body)
	}
	if len(answers) != 6 {
		t.Fatalf("%d answers", len(answers))
	}
	for i, rows := range map[int]int{0: 4, 5: 1} {
		got, err := arrowfmt.DecodeMessage(answers[i], table.Origin{}, arrowfmt.Limits{})
		if err != nil || got.Len() != rows {
			t.Errorf("answer %d: %v, %v", i, got, err)
			continue
		}
		if _, there := got.Column("neighbor"); !there {
			t.Errorf("answer %d names no neighbours", i)
		}
	}
	for i, want := range map[int]string{1: `"neighbor":[`, 2: `{"error":`, 3: "more than 4000 bytes", 4: "the body is empty"} {
		if !strings.Contains(string(answers[i]), want) || !json.Valid(answers[i]) {
			t.Errorf("answer %d: %s, want %s", i, answers[i], want)
		}
	}
}

// FuzzPlace: any request for places or vectors gets a response or an error, and none crashes the
// process.
func FuzzPlace(f *testing.F) {
	for _, body := range []string{
		`{"vectors": [[1, 2, 3, 4]], "ids": ["a"]}`, `{"records": [{"v": [1, 2, 3, 4], "event": 1}]}`, `[{"v": "1,2,3,4"}]`,
		`{"schema": {"type": "struct", "fields": []}, "payload": {"v": [1, 2, 3, 4]}}`, `{"ids": []}`, `{"places": [[0, 1]]}`, "\xff\xff\xff\xff\x00\x00\x00\x00",
	} {
		f.Add([]byte(body))
	}
	f.Add(encoded(f, sample(f, 3, 2)))
	m, p := model(f), &Placer{Limits: Limits{Body: 1 << 16, Rows: 100, Memory: 1 << 20}}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, out := range []Format{JSON, Arrow} {
			for neighbors, do := range map[int]work{2: p.Place, 0: p.Decode} {
				answer, _, err := do(t.Context(), m, body, Options{Out: out, Neighbors: neighbors})
				var problem *Problem
				if err != nil && (!errors.As(err, &problem) || problem.Status < 400 || problem.Status >= 500) {
					t.Errorf("%v (%+v)", err, problem)
				}
				if err == nil && out == JSON && !json.Valid(answer) {
					t.Errorf("no JSON: %s", answer)
				}
			}
		}
	})
}
