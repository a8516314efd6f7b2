package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"unfold/internal/simd"
)

// machine describes the machine of the measurements.
type machine struct {
	processor, memory, load string
	cores, threads          int
}

// thisMachine describes this machine before the measurements. Unknown properties are omitted.
func thisMachine(threads int) machine {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			return ""
		}
		return string(text)
	}
	m := machine{cores: runtime.NumCPU(), threads: threads}
	m.processor = lineOf(read("/proc/cpuinfo"), "model name")
	if kib, err := strconv.Atoi(strings.TrimSuffix(lineOf(read("/proc/meminfo"), "MemTotal"), " kB")); err == nil {
		m.memory = fmt.Sprintf("%.0f GB of memory", float64(kib)*1024/1e9)
	}
	if load, _, ok := strings.Cut(read("/proc/loadavg"), " "); ok {
		m.load = load
	}
	return m
}

// lineOf returns the first value of a name in lines of "name : value".
func lineOf(text, name string) string {
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func (m machine) String() string {
	parts := []string{fmt.Sprintf("%d cores", m.cores)}
	if m.processor != "" {
		parts[0] += " of " + m.processor
	}
	if m.memory != "" {
		parts = append(parts, m.memory)
	}
	parts = append(parts, runtime.GOOS+"/"+runtime.GOARCH, runtime.Version(), "vector instructions "+simd.Best().String())
	text := strings.Join(parts, ", ") + fmt.Sprintf("; %d threads for everything", m.threads)
	if m.load != "" {
		text += fmt.Sprintf(". Load when it began: %s", m.load)
	}
	return text
}
