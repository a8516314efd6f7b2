package progress

import (
	"bytes"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// clock is a clock that only advances explicitly.
type clock struct{ t time.Time }

func (c *clock) after(d time.Duration) { c.t = c.t.Add(d) }

func reporter(terminal bool) (*Reporter, *bytes.Buffer, *clock) {
	out, c := new(bytes.Buffer), &clock{time.Unix(0, 0)}
	r := New(out)
	r.terminal, r.now = terminal, func() time.Time { return c.t }
	return r, out, c
}

func TestLines(t *testing.T) {
	r, out, c := reporter(false)
	r.Stage("read", "rows", 0)
	c.after(11 * time.Second)
	r.Set(22000)
	c.after(time.Second)
	r.Set(24000)
	r.Update("em", 0, 400)
	c.after(10 * time.Second)
	r.Update("em", 100, 400)
	c.after(30 * time.Second)
	r.Update("em", 400, 400)
	r.Stage("write", "", 0)
	c.after(50 * time.Millisecond)
	r.Stage("close", "", 0)
	c.after(1500 * time.Millisecond)
	r.End()
	r.End()
	want := `read      22,000 rows, 2,000/s
read      24,000 rows in 12s, 2,000/s
em        100 of 400 steps, 25%, 30s left
em        400 of 400 steps, 100%, 0s left
em        400 steps in 40s, 10/s
close     1.5s
`
	if out.String() != want {
		t.Errorf("lines are\n%s\nexpected\n%s", out, want)
	}
}

func TestBarsAreTakenAway(t *testing.T) {
	r, out, c := reporter(true)
	r.Stage("read", "rows", 10)
	r.Set(5)
	c.after(2 * time.Second)
	r.End()
	if !strings.Contains(out.String(), "\r") && !strings.Contains(out.String(), "\x1b") {
		t.Errorf("no bar in %q", out)
	}
	if !strings.HasSuffix(out.String(), "read      5 rows in 2.0s, 2.5/s\n") {
		t.Errorf("no line at the end of %q", out)
	}
}

// A bar is never drawn again after its stage has ended, even without a known total.
func TestEndedBarsStayAway(t *testing.T) {
	r, out, _ := reporter(true)
	r.Stage("read", "rows", 0)
	r.Set(5)
	r.End()
	before := out.Len()
	time.Sleep(250 * time.Millisecond)
	if out.Len() != before {
		t.Errorf("after its end: %q", out.String()[before:])
	}
}

func TestAbortSaysNothing(t *testing.T) {
	r, out, c := reporter(false)
	r.Stage("read", "rows", 10)
	c.after(time.Hour)
	r.Abort()
	r.End()
	if out.Len() != 0 {
		t.Errorf("wrote %q", out)
	}
}

func TestLinesAboveABar(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		r, out, c := reporter(terminal)
		r.Stage("read", "rows", 10)
		r.Set(5)
		r.Above(func() { out.WriteString("news\n") })
		c.after(time.Second)
		r.Set(9)
		r.End()
		if !strings.Contains(out.String(), "news\n") || !strings.HasSuffix(out.String(), "read      9 rows in 1.0s, 9.0/s\n") {
			t.Errorf("terminal %v: %q", terminal, out)
		}
	}
	wrote := false
	(*Reporter)(nil).Above(func() { wrote = true })
	if !wrote {
		t.Error("without a reporter nothing is written")
	}
}

func TestNilIsSilent(t *testing.T) {
	var r *Reporter
	r.Stage("a", "b", 1)
	r.Set(1)
	r.Update("c", 1, 2)
	r.End()
	r.Abort()
}

func TestConcurrentUse(t *testing.T) {
	r, _, _ := reporter(false)
	var all sync.WaitGroup
	for k := range 8 {
		all.Go(func() {
			for i := range 200 {
				r.Update("stage", i, 200)
				if i%50 == k {
					r.Stage("other", "", 0)
				}
			}
		})
	}
	all.Wait()
	r.End()
}

// Every stage is reported at its start and its end, and no step in between is reported twice.
func TestHear(t *testing.T) {
	var heard []Step
	r := Hear(func(s Step) { heard = append(heard, s) })
	at := time.Unix(0, 0)
	r.now = func() time.Time { return at }
	r.Stage("read", "rows", 100)
	for i := range 101 {
		at = at.Add(time.Millisecond)
		r.Set(int64(i))
	}
	r.Update("em", 7, 20)
	r.End()
	want := []Step{{"read", "rows", 0, 100}, {"read", "rows", 99, 100}, {"read", "rows", 100, 100}, {"em", "steps", 0, 20}}
	if !reflect.DeepEqual(heard, want) {
		t.Errorf("heard %v, want %v", heard, want)
	}
}
