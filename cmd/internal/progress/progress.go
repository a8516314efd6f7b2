package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"unfold/cmd/internal/humanize"
)

const (
	// worthALine is the minimum duration of a stage to be reported at its end.
	worthALine = 100 * time.Millisecond
	// lineEvery is the interval of plain lines while a stage runs.
	lineEvery = 10 * time.Second
)

// Reporter shows one stage after another. It is safe for concurrent use.
type Reporter struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	now      func() time.Time

	stage, unit string
	done, total int64
	start, last time.Time
	bar         *progressbar.ProgressBar

	hear func(Step) // nil if progress is written to w
}

// Step is the progress of a stage.
type Step struct {
	Stage string `json:"stage"`
	// Unit is the counted unit, "" for units without a meaning for people.
	Unit string `json:"unit,omitempty"`
	Done int64  `json:"done"`
	// Total is 0 if unknown.
	Total int64 `json:"total"`
}

// hearEvery is the minimum interval between calls for a stage.
const hearEvery = 100 * time.Millisecond

// Hear returns a reporter that calls hear instead of writing: at the start of each stage, and
// occasionally while it runs. Calls do not overlap.
func Hear(hear func(Step)) *Reporter { return &Reporter{w: io.Discard, hear: hear, now: time.Now} }

// New returns a reporter that writes to w: bars if w is a terminal, otherwise lines.
func New(w io.Writer) *Reporter {
	return &Reporter{w: w, terminal: IsTerminal(w), now: time.Now}
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Stage ends the previous stage, if any, and begins a new one. Unit is the counted unit ("rows");
// total is 0 if unknown.
func (r *Reporter) Stage(name, unit string, total int64) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end()
	r.begin(name, unit, total)
}

// Set reports the completed units of the current stage.
func (r *Reporter) Set(done int64) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.set(done)
}

// Update reports that done of total units of a stage are completed; it begins the stage if another
// one is shown. It can be passed as the progress hook of a fit.
func (r *Reporter) Update(stage string, done, total int) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stage != stage {
		r.end()
		r.begin(stage, units[stage], int64(total))
	}
	r.set(int64(done))
}

// units are the counted units of a fit's stages. Other stages count in units without a meaning for
// people.
var units = map[string]string{"em": "steps", "sample": "steps"}

// End ends the current stage.
func (r *Reporter) End() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end()
}

// Abort removes the current stage's bar without a message, as before an error.
func (r *Reporter) Abort() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clear()
	r.stage = ""
}

func (r *Reporter) begin(name, unit string, total int64) {
	r.stage, r.unit, r.done, r.total = name, unit, 0, total
	r.start = r.now()
	r.last = r.start
	if r.hear != nil {
		r.hear(r.step())
	}
	if !r.terminal {
		return
	}
	most := total
	if most <= 0 {
		most = -1
	}
	options := []progressbar.Option{
		progressbar.OptionSetWriter(r.w), progressbar.OptionSetDescription(fmt.Sprintf("%-9s", name)),
		progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30), progressbar.OptionUseANSICodes(true),
		// A spinner that turns by itself would continue after its bar is removed.
		progressbar.OptionSetSpinnerChangeInterval(0),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerPadding: "░", BarStart: "", BarEnd: ""}),
	}
	if unit != "" {
		options = append(options, progressbar.OptionShowIts(), progressbar.OptionSetItsString(unit))
	}
	r.bar = progressbar.NewOptions64(most, options...)
	_ = r.bar.RenderBlank()
}

func (r *Reporter) step() Step { return Step{r.stage, r.unit, r.done, r.total} }

func (r *Reporter) set(done int64) {
	r.done = done
	if now := r.now(); r.hear != nil && r.stage != "" && (now.Sub(r.last) >= hearEvery || done == r.total) {
		r.last = now
		r.hear(r.step())
	}
	if r.bar != nil {
		// A full bar removes itself and is replaced by the line at the end.
		_ = r.bar.Set64(done)
		return
	}
	if now := r.now(); r.hear == nil && r.stage != "" && !r.terminal && now.Sub(r.last) >= lineEvery {
		r.last = now
		fmt.Fprintln(r.w, r.line(now.Sub(r.start), false))
	}
}

func (r *Reporter) end() {
	if r.stage == "" {
		return
	}
	r.clear()
	if took := r.now().Sub(r.start); took >= worthALine && r.hear == nil {
		fmt.Fprintln(r.w, r.line(took, true))
	}
	r.stage = ""
}

func (r *Reporter) clear() {
	if r.bar != nil {
		_ = r.bar.Clear()
		r.bar = nil
	}
}

// line describes the stage: "em         120 of 400 steps, 30%, 12s left", or at its end "em
// 400 steps in 28.1s, 14/s".
func (r *Reporter) line(took time.Duration, ended bool) string {
	head := fmt.Sprintf("%-9s ", r.stage)
	if ended {
		if r.unit == "" || r.done == 0 {
			return head + humanize.Span(took)
		}
		return fmt.Sprintf("%s%s %s in %s, %s/s", head, humanize.Count(r.done), r.unit, humanize.Span(took), humanize.Rate(r.done, took))
	}
	parts := []string{strings.TrimSpace(humanize.Count(r.done) + " " + r.unit)}
	if r.total > 0 {
		parts[0] = strings.TrimSpace(fmt.Sprintf("%s of %s %s", humanize.Count(r.done), humanize.Count(r.total), r.unit))
		parts = append(parts, fmt.Sprintf("%d%%", 100*r.done/r.total))
		if r.done > 0 {
			left := time.Duration(float64(took) * float64(r.total-r.done) / float64(r.done))
			parts = append(parts, left.Round(time.Second).String()+" left")
		}
	} else {
		parts = append(parts, humanize.Rate(r.done, took)+"/s")
	}
	return head + strings.Join(parts, ", ")
}

// Above removes a bar while write writes its own lines, so that they do not mix; the next Set draws
// the bar again.
func (r *Reporter) Above(write func()) {
	if r == nil {
		write()
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bar != nil {
		_ = r.bar.Clear()
	}
	write()
}
