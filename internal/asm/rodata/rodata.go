// Package rodata puts numbers into read-only memory, for generators of assembly. Like avo's package
// build, which it writes to, it has global state for the one file of a program.
package rodata

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// tables are those that have been written, by name.
var tables = map[string]operand.Mem{}

// Table returns the table with the given name; write fills it by build.DATA on first use.
func Table(name string, write func()) operand.Mem {
	m, ok := tables[name]
	if !ok {
		m = build.GLOBL(name, attr.RODATA|attr.NOPTR)
		write()
		tables[name] = m
	}
	return m
}

// Number returns a number in memory; a name has one value.
func Number(name string, v float64) operand.Mem { return copies(name, v, 1) }

// Four returns a number in four adjacent places, as for an AVX2 register; a name has one value.
func Four(name string, v float64) operand.Mem { return copies(name+"x4", v, 4) }

func copies(name string, v float64, n int) operand.Mem {
	return Table(name, func() {
		for k := range n {
			build.DATA(8*k, operand.U64(math.Float64bits(v)))
		}
	})
}

// Single returns a number in single precision; a name has one value.
func Single(name string, v float32) operand.Mem {
	return Table(name, func() { build.DATA(0, operand.U32(math.Float32bits(v))) })
}
