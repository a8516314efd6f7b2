package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"unfold/bench/internal/harness"
)

// The number of values of a row for Spark, and of points of the map.
const (
	sparkDim    = 50
	sparkPoints = 20_000
)

// Spark are the times of placing with Spark and with the command line.
type Spark struct {
	Day     time.Time
	Others  float64
	Workers int
	Runs    []SparkRun
}

// SparkRun is one number of rows, placed by both.
type SparkRun struct {
	Rows int
	// Start is Spark's start-up time. Spark and Line are the times of placing, from Parquet files
	// to Parquet files. All are in seconds.
	Start, Spark, Line float64
	LineCPU            float64            // processor time of the command line
	CPU                map[string]float64 // processor time of Spark's processes, by program name
}

// rate returns the number of rows that Spark places per second.
func (r SparkRun) rate() float64 { return float64(r.Rows) / r.Spark }

// share returns Spark's rate relative to the command line's.
func (r SparkRun) share() float64 { return r.Line / r.Spark }

// all returns the processor time of all of Spark's processes.
func (r SparkRun) all() (sum float64) {
	for _, name := range slices.Sorted(maps.Keys(r.CPU)) {
		sum += r.CPU[name]
	}
	return sum
}

func (l *lab) spark(ctx context.Context) (*Spark, error) {
	s := &Spark{Day: time.Now(), Workers: l.threads}
	for _, n := range l.sparkRows {
		r, err := l.sparkRun(ctx, s, n)
		if err != nil {
			return nil, err
		}
		s.Runs = append(s.Runs, r)
	}
	return s, nil
}

// files measures transform_files: the program reads and writes the files itself.
func (l *lab) files(ctx context.Context) (*Spark, error) {
	s := &Spark{Day: time.Now(), Workers: l.threads}
	r, err := l.placed(ctx, s, l.sparkRows[0], "files")
	s.Runs = []SparkRun{r}
	return s, err
}

func (l *lab) sparkRun(ctx context.Context, s *Spark, n int) (r SparkRun, err error) {
	return l.placed(ctx, s, n, "place")
}

// placed measures one number of rows by the command line and by a verb of the program for Spark.
func (l *lab) placed(ctx context.Context, s *Spark, n int, verb string) (r SparkRun, err error) {
	folder := filepath.Join(l.out, "spark-"+strconv.Itoa(n))
	l.say("%s rows for Spark, %s", count(float64(n)), verb)
	if _, err := os.Stat(filepath.Join(folder, "map.unfold")); err != nil {
		if _, err := l.python(ctx, sparkProgram, nil, "rows", folder, strconv.Itoa(n), strconv.Itoa(sparkDim)); err != nil {
			return r, err
		}
	}
	_, line, err := harness.Process(ctx, filepath.Join(l.out, "usage.json"), nil, l.unfold, "-q", "embed", filepath.Join(folder, "rows"),
		"-m", filepath.Join(folder, "map.unfold"), "-o", filepath.Join(folder, "line.parquet"), "--threads", strconv.Itoa(l.threads))
	if err != nil {
		return r, err
	}
	var out struct {
		Start, Seconds float64
		Rows           int
		CPU            map[string]float64
	}
	if _, err := l.python(ctx, sparkProgram, &out, verb, folder, strconv.Itoa(s.Workers)); err != nil {
		return r, err
	}
	s.Others = max(s.Others, line.Others)
	return SparkRun{Rows: out.Rows, Start: out.Start, Spark: out.Seconds, Line: line.Wall, LineCPU: line.CPU, CPU: out.CPU}, nil
}
