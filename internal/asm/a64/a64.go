// Package a64 generates arm64 kernels for Go's assembler. It writes vector instructions that the
// assembler does not know as machine words.
//
// Registers are allocated one by one and never freed, since a kernel has 26 for integers and 32 for
// vectors. Every vector instruction is written as its machine word, with the mnemonic of the
// processor's manual as a comment (Arm Architecture Reference Manual for A-profile, chapter C7.2).
// Operands are in the manual's order: destination first.
package a64

import (
	"flag"
	"fmt"
	"log"
	"os"
	"regexp"
	"strings"
)

// R is an integer register, V a vector register.
type (
	R int
	V int
)

func (r R) String() string { return fmt.Sprintf("R%d", int(r)) }

// F returns the name of the register's lowest 32, 64 or 128 bits, for loads and stores.
func (v V) F() string { return fmt.Sprintf("F%d", int(v)) }

// String is the register without an arrangement.
func (v V) String() string { return fmt.Sprintf("V%d", int(v)) }

// Lane returns the name of element i of a type of elements: B, H, S or D.
func (v V) Lane(of string, i int) string { return fmt.Sprintf("V%d.%s[%d]", int(v), of, i) }

// Asm collects the kernels of a package.
type Asm struct {
	code, stubs strings.Builder
	offset      map[string]int
	ints        []R
	vectors     int
}

var parameter = regexp.MustCompile(`(\w+(?:, \w+)*) (\*?(?:\[\])?\w+)`)

// Func begins a kernel with parameters such as "a, b *float32, n int". result is the type of its
// result, or empty; doc continues the comment after the name.
func (a *Asm) Func(name, parameters, result, doc string) {
	a.offset, a.vectors, a.ints = map[string]int{}, 0, nil
	for r := range R(27) {
		if r != 18 { // the platform's; from 27 on they are Go's
			a.ints = append(a.ints, r)
		}
	}
	at, list := 0, []string{}
	place := func(of string) int {
		size := 8
		if of == "float32" || of == "int32" {
			size = 4
		}
		from := (at + size - 1) / size * size
		at = from + size
		return from
	}
	for _, p := range parameter.FindAllStringSubmatch(parameters, -1) {
		for n := range strings.SplitSeq(p[1], ", ") {
			a.offset[n] = place(p[2])
			list = append(list, n+" "+p[2])
		}
	}
	if result != "" {
		at = (at + 7) / 8 * 8
		a.offset["ret"] = place(result)
		result = " " + result
	}
	signature := fmt.Sprintf("func %s(%s)%s", name, strings.Join(list, ", "), result)
	fmt.Fprintf(&a.code, "\n// %s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", signature, name, at)
	fmt.Fprintf(&a.stubs, "\n// %s %s\n//\n//go:noescape\n%s\n", name, doc, signature)
}

// P writes a line in the syntax of Go's assembler.
func (a *Asm) P(format string, args ...any) {
	a.code.WriteByte('\t')
	fmt.Fprintf(&a.code, format, args...)
	a.code.WriteByte('\n')
}

// Label names the next instruction.
func (a *Asm) Label(name string) { a.code.WriteString(name + ":\n") }

// Int allocates an integer register.
func (a *Asm) Int() R {
	if len(a.ints) == 0 {
		log.Fatal("a64: a kernel needs more registers for integers than there are")
	}
	r := a.ints[0]
	a.ints = a.ints[1:]
	return r
}

// Ints allocates n integer registers.
func (a *Asm) Ints(n int) (out []R) {
	for range n {
		out = append(out, a.Int())
	}
	return out
}

// Arg allocates a register and loads a parameter of 8 bytes into it.
func (a *Asm) Arg(name string) R {
	r := a.Int()
	a.Load(name, r)
	return r
}

// Load loads a parameter of 8 bytes.
func (a *Asm) Load(name string, r R) { a.P("MOVD\t%s, %v", a.Param(name), r) }

// Param returns the address of a parameter, or of the result if the name is ret.
func (a *Asm) Param(name string) string {
	offset, ok := a.offset[name]
	if !ok {
		log.Fatalf("a64: no parameter %s", name)
	}
	return fmt.Sprintf("%s+%d(FP)", name, offset)
}

// Vec allocates a vector register.
func (a *Asm) Vec() V {
	if a.vectors == 32 {
		log.Fatal("a64: a kernel needs more registers for vectors than there are")
	}
	a.vectors++
	return V(a.vectors - 1)
}

// Vecs allocates n vector registers.
func (a *Asm) Vecs(n int) (out []V) {
	for range n {
		out = append(out, a.Vec())
	}
	return out
}

// Quads loads 16 bytes into each register, consecutively from base+offset on.
func (a *Asm) Quads(base R, offset int, to ...V) { a.quads("FLDPQ", "FMOVQ", true, base, offset, to) }

// StoreQuads stores the 16 bytes of each register.
func (a *Asm) StoreQuads(base R, offset int, from ...V) {
	a.quads("FSTPQ", "FMOVQ", false, base, offset, from)
}

func (a *Asm) quads(pair, single string, load bool, base R, offset int, v []V) {
	for ; len(v) > 0; offset += 16 {
		op, registers, n := single, v[0].F(), 1
		if len(v) > 1 && offset < 1024 {
			op, registers, n = pair, fmt.Sprintf("(%s, %s)", v[0].F(), v[1].F()), 2
		}
		if load {
			a.P("%s\t%d(%v), %s", op, offset, base, registers)
		} else {
			a.P("%s\t%s, %d(%v)", op, registers, offset, base)
		}
		offset, v = offset+16*(n-1), v[n:]
	}
}

// Scalar loads 4 or 8 bytes into the lowest element and clears the others.
func (a *Asm) Scalar(size int, base R, offset int, to V) {
	a.P("%s\t%d(%v), %s", map[int]string{4: "FMOVS", 8: "FMOVD"}[size], offset, base, to.F())
}

// Zero clears registers.
func (a *Asm) Zero(v ...V) {
	for _, v := range v {
		a.Do("eor", "16b", v, v, v)
	}
}

// Next decrements a register and jumps to a label unless it is zero.
func (a *Asm) Next(count R, label string) {
	a.P("SUBS\t$1, %v, %v", count, count)
	a.P("BNE\t%s", label)
}

// Return ends a kernel.
func (a *Asm) Return() { a.P("RET") }

// Write writes the assembly and its stubs to the files of the flags -out and -stubs, for the
// package of the flag -pkg.
func (a *Asm) Write() {
	out := flag.String("out", "", "assembly to write")
	stubs := flag.String("stubs", "", "declarations to write")
	pkg := flag.String("pkg", "", "package of the declarations")
	flag.Parse()
	head := fmt.Sprintf("// Code generated by command: go run ./arm64/%s -out %s -stubs %s -pkg %s. DO NOT EDIT.\n\n//go:build arm64 && !noasm\n\n",
		*pkg, *out, *stubs, *pkg)
	for path, text := range map[string]string{
		*out:   head + "#include \"textflag.h\"\n" + a.code.String(),
		*stubs: head + "package " + *pkg + "\n" + a.stubs.String(),
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			log.Fatalf("a64: %v", err)
		}
	}
}
