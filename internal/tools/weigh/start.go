package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// start is the cost of starting the program.
type start struct {
	// cpu is processor time, including the system's; wall is wall-clock time.
	cpu, wall []time.Duration
	// inits are the packages with initialisers, the slowest first, for one start. all is their
	// total time and packages their number.
	inits    []initialised
	all      time.Duration
	packages int
}

type initialised struct {
	name  string
	took  time.Duration
	bytes int64
}

// starts measures "unfold version" runs times.
func starts(program string, runs int) (start, error) {
	var s start
	for range runs {
		c := exec.Command(program, "version")
		begun := time.Now()
		if err := c.Run(); err != nil {
			return s, err
		}
		s.wall = append(s.wall, time.Since(begun))
		s.cpu = append(s.cpu, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
	}
	slices.Sort(s.wall)
	slices.Sort(s.cpu)
	return s, s.trace(program)
}

var initLine = regexp.MustCompile(`(?m)^init (\S+) @[0-9.]+ ms, ([0-9.]+) ms clock, ([0-9]+) bytes`)

// trace measures with the runtime how long initialising each package takes: the minimum over
// several starts.
func (s *start) trace(program string) error {
	least := map[string]initialised{}
	for range 10 {
		c := exec.Command(program, "version")
		c.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		text := new(strings.Builder)
		c.Stderr = text
		if err := c.Run(); err != nil {
			return err
		}
		for _, m := range initLine.FindAllStringSubmatch(text.String(), -1) {
			ms, err := strconv.ParseFloat(m[2], 64)
			if err != nil {
				return fmt.Errorf("inittrace says %q", m[0])
			}
			bytes, err := strconv.ParseInt(m[3], 10, 64)
			if err != nil {
				return fmt.Errorf("inittrace says %q", m[0])
			}
			took := time.Duration(ms * float64(time.Millisecond))
			if l, known := least[m[1]]; !known || took < l.took {
				least[m[1]] = initialised{m[1], took, bytes}
			}
		}
	}
	for _, i := range least {
		s.inits = append(s.inits, i)
		s.all += i.took
	}
	s.packages = len(s.inits)
	slices.SortFunc(s.inits, func(a, b initialised) int { return cmp.Or(cmp.Compare(b.took, a.took), cmp.Compare(a.name, b.name)) })
	return nil
}
