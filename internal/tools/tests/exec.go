package main

import (
	"fmt"
	"os"
	"strings"
)

// costMark starts the line in which a test process reports its cost.
const costMark = "unfold-test-cost:"

// writeCost reports processor time in seconds.
func writeCost(cpu float64) { fmt.Fprintf(os.Stdout, "%s %.2f\n", costMark, cpu) }

func parseCost(line string) (cpu float64, ok bool) {
	rest, ok := strings.CutPrefix(line, costMark)
	if !ok {
		return 0, false
	}
	_, err := fmt.Sscan(rest, &cpu)
	return cpu, err == nil
}

// scratch makes a folder for the temporary files of one test process.
func scratch() (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp("", "unfold-test-")
	if err != nil {
		return "", nil, err
	}
	return dir, func() { os.RemoveAll(dir) }, nil
}
