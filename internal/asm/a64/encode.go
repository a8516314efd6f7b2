package a64

import (
	"fmt"
	"log"
)

// These are the words of instructions with all registers 0, by mnemonic and the destination's
// arrangement: with three registers, with two, and with three if the last provides one element.
var (
	three = map[string]uint32{
		"and.16b": 0x4e201c00, "orr.16b": 0x4ea01c00, "eor.16b": 0x6e201c00,

		"add.16b": 0x4e208400, "add.4s": 0x4ea08400,
		"sub.4s": 0x6ea08400, "addp.16b": 0x4e20bc00, "addp.4s": 0x4ea0bc00,
		"cmhs.2d": 0x6ee03c00, "uzp1.16b": 0x4e001800, "uzp1.8h": 0x4e401800, "uzp1.4s": 0x4e801800,

		"smull.8h": 0x0e20c000, "smull2.8h": 0x4e20c000, "smlal.8h": 0x0e208000, "smlal2.8h": 0x4e208000,

		"fadd.4s": 0x4e20d400, "fadd.2d": 0x4e60d400, "fsub.4s": 0x4ea0d400, "fsub.2d": 0x4ee0d400,
		"fmul.4s": 0x6e20dc00, "fmul.2d": 0x6e60dc00, "fdiv.4s": 0x6e20fc00, "fdiv.2d": 0x6e60fc00,
		"fmla.4s": 0x4e20cc00, "fmla.2d": 0x4e60cc00,
		"fmaxnm.4s": 0x4e20c400, "fmin.4s": 0x4ea0f400, "fmin.2d": 0x4ee0f400,
		"fcmge.4s": 0x6e20e400,
		"faddp.4s": 0x6e20d400, "faddp.2d": 0x6e60d400,
	}
	two = map[string]uint32{
		"cnt.16b": 0x4e205800, "uaddlp.8h": 0x6e202800, "uaddlp.4s": 0x6e602800, "uadalp.2d": 0x6ea06800,
		"sadalp.4s": 0x4e606800,
		"fneg.4s":   0x6ea0f800, "fsqrt.2d": 0x6ee1f800,
		"fcvtl.2d": 0x0e617800, "fcvtl2.2d": 0x4e617800, "fcvtn.2s": 0x0e616800, "fcvtn2.4s": 0x4e616800,
	}
	element = map[string]uint32{
		"fmla.4s": 0x4f801000, "fmls.4s": 0x4f805000,
		"fmla.2d": 0x4fc01000, "fmul.2d": 0x4fc09000,
	}
	// from is the arrangement of the sources where it differs from the destination's.
	from = map[string]string{
		"smull.8h": "8b", "smull2.8h": "16b", "smlal.8h": "8b", "smlal2.8h": "16b",
		"uaddlp.8h": "16b", "uaddlp.4s": "8h", "uadalp.2d": "4s", "sadalp.4s": "8h",
		"fcvtl.2d": "2s", "fcvtl2.2d": "4s", "fcvtn.2s": "2d", "fcvtn2.4s": "2d",
	}
)

// Do writes an instruction with a destination and one or two sources. arrangement is the
// destination's; the sources have the same, except for mnemonics that change the width.
func (a *Asm) Do(op, arrangement string, d, n V, m ...V) {
	key := op + "." + arrangement
	source, ok := from[key]
	if !ok {
		source = arrangement
	}
	text := fmt.Sprintf("%s v%d.%s, v%d.%s", op, d, arrangement, n, source)
	table, last := two, uint32(0)
	if len(m) == 1 {
		table, last = three, uint32(m[0])
		text += fmt.Sprintf(", v%d.%s", m[0], source)
	}
	a.word(table, key, last<<16|uint32(n)<<5|uint32(d), text)
}

// By writes an instruction with a destination, a source and element i of another.
func (a *Asm) By(op, arrangement string, d, n, m V, i int) {
	// The index of a 32-bit element is in bits 11 and 21, the index of a 64-bit element in bit 11.
	of, index := "s", uint32(i>>1)<<11|uint32(i&1)<<21
	if arrangement == "2d" {
		of, index = "d", uint32(i)<<11
	}
	a.word(element, op+"."+arrangement, uint32(m)<<16|index|uint32(n)<<5|uint32(d),
		fmt.Sprintf("%s v%d.%s, v%d.%s, v%d.%s[%d]", op, d, arrangement, n, arrangement, m, of, i))
}

func (a *Asm) word(table map[string]uint32, key string, fields uint32, text string) {
	base, ok := table[key]
	if !ok {
		log.Fatalf("a64: the word of %s is not known", text)
	}
	a.P("WORD\t$0x%08x // %s", base|fields, text)
}
