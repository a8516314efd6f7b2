// Package serial is the protocol between the emulated machine of make avx512 and its host: jobs in
// a file, results on the serial console.
package serial

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Jobs is the file in the machine that lists the jobs, in JSON.
const Jobs = "/jobs.json"

// Job is a test binary to run.
type Job struct {
	Package string // the folder of the package; the machine has the binary as /tests/Package/test and runs it there
	Args    []string
	Files   []string // the Go files that call kernels; only their blocks of the coverage profile are sent
}

// Env is added to the environment of the tests. It runs a fifth of the usual random cases of each
// property, from a fixed seed; fewer would not call every kernel.
var Env = []string{"RAPID_CHECKS=20", "RAPID_SEED=20261"}

// prefix starts every line for the host. Other lines are output of the kernel or of tests.
const prefix = "@avx512 "

// Flags writes the processor's features.
func Flags(w io.Writer, flags string) { fmt.Fprintf(w, "%sflags %s\n", prefix, flags) }

// Begin writes that a package's tests begin.
func Begin(w io.Writer, pkg string) { fmt.Fprintf(w, "%sbegin %s\n", prefix, pkg) }

// Covered writes a block of the coverage profile.
func Covered(w io.Writer, line string) { fmt.Fprintf(w, "%scovered %s\n", prefix, line) }

// End writes the exit code of a package's tests. The empty line before it ends the tests' last line where they did not.
func End(w io.Writer, pkg string, code int) { fmt.Fprintf(w, "\n%send %s %d\n", prefix, pkg, code) }

// Done writes that all jobs have been run.
func Done(w io.Writer) { fmt.Fprintf(w, "%sdone\n", prefix) }

// Result is the outcome of a package's tests.
type Result struct {
	Package string
	Code    int
	Time    time.Duration // by the host's clock
	Output  string
	Covered []string
}

// Report is everything that a machine has sent.
type Report struct {
	Flags   []string
	Boot    time.Duration // until the processor's features were sent
	Results []Result
	Done    bool   // all jobs have been run
	Rest    string // output outside of jobs, such as the kernel's
	Open    string // package whose tests had started but not ended
}

// Read reads until the machine closes its console. It calls ended, which may be nil, at the end of each package's tests.
func Read(r io.Reader, ended func(Result)) (Report, error) {
	var (
		report  Report
		current Result
		rest    strings.Builder
		output  strings.Builder
	)
	last := time.Now()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimRight(lines.Text(), "\r")
		before, message, ok := strings.Cut(line, prefix)
		if !ok || before != "" { // the last line of a test may not end with a newline
			to := &rest
			if report.Open != "" {
				to = &output
			}
			fmt.Fprintln(to, before)
		}
		if !ok {
			continue
		}
		kind, text, _ := strings.Cut(message, " ")
		switch kind {
		case "flags":
			report.Flags, report.Boot = strings.Fields(text), time.Since(last)
		case "begin":
			report.Open, current = text, Result{Package: text}
			last = time.Now()
			output.Reset()
		case "covered":
			current.Covered = append(current.Covered, text)
		case "end":
			pkg, code, _ := strings.Cut(text, " ")
			n, err := strconv.Atoi(code)
			if err != nil || pkg != report.Open {
				return report, fmt.Errorf("the console has %q while the tests of %q run", line, report.Open)
			}
			current.Code, current.Time, current.Output = n, time.Since(last), output.String()
			report.Results, report.Open = append(report.Results, current), ""
			if ended != nil {
				ended(current)
			}
		case "done":
			report.Done = true
		default:
			return report, fmt.Errorf("the console has the unknown message %q", line)
		}
	}
	report.Rest = rest.String() + output.String()
	if report.Open == "" {
		report.Rest = rest.String()
	}
	return report, lines.Err()
}
