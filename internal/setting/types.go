package setting

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Auto is a positive number, or 0 for auto.
type Auto int

// UnmarshalText reads auto or a number.
func (a *Auto) UnmarshalText(text []byte) error {
	v, err := wordOrNumber(string(text), 1, map[string]int{"auto": 0})
	*a = Auto(v)
	return err
}

// String writes the number or auto.
func (a Auto) String() string {
	if a == 0 {
		return "auto"
	}
	return strconv.Itoa(int(a))
}

// Range is a positive number, or a range of them; {0, 0} is auto.
type Range [2]int

// UnmarshalText reads auto, a number, or FROM:TO.
func (r *Range) UnmarshalText(text []byte) error {
	from, to, isRange := strings.Cut(string(text), ":")
	if !isRange {
		v, err := wordOrNumber(from, 1, map[string]int{"auto": 0})
		*r = Range{v, v}
		return err
	}
	least, err := strconv.Atoi(from)
	most, err2 := strconv.Atoi(to)
	if err != nil || err2 != nil || least < 1 || most < least {
		return fmt.Errorf("%q is no range of numbers from 1, as 6:15", text)
	}
	*r = Range{least, most}
	return nil
}

// String writes what UnmarshalText reads.
func (r Range) String() string {
	if r[0] == r[1] {
		return Auto(r[0]).String()
	}
	return fmt.Sprintf("%d:%d", r[0], r[1])
}

// Span is a Range that is never auto.
type Span Range

// UnmarshalText reads a number, or FROM:TO.
func (s *Span) UnmarshalText(text []byte) error {
	if strings.Contains(string(text), ":") {
		return (*Range)(s).UnmarshalText(text)
	}
	v, err := strconv.Atoi(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a whole number", text)
	}
	if v < 1 {
		return fmt.Errorf("%d is too small; it must be at least 1", v)
	}
	*s = Span{v, v}
	return nil
}

// String writes what UnmarshalText reads.
func (s Span) String() string { return Range(s).String() }

// PCA is a number of principal components, 0 for auto, -1 for none.
type PCA int

// UnmarshalText reads auto, none or a number.
func (p *PCA) UnmarshalText(text []byte) error {
	v, err := wordOrNumber(string(text), 1, map[string]int{"auto": 0, "none": -1})
	*p = PCA(v)
	return err
}

// String writes the number or the word.
func (p PCA) String() string {
	switch p {
	case 0:
		return "auto"
	case -1:
		return "none"
	}
	return strconv.Itoa(int(p))
}

// Every is the interval of a repeated action, 0 for auto, -1 for never.
type Every int

// UnmarshalText reads auto, never or a number.
func (e *Every) UnmarshalText(text []byte) error {
	v, err := wordOrNumber(string(text), 1, map[string]int{"auto": 0, "never": -1})
	*e = Every(v)
	return err
}

// String writes the number or the word.
func (e Every) String() string {
	if e == -1 {
		return "never"
	}
	return Auto(e).String()
}

// Level is the paper's l >= 0, or -1 for auto.
type Level int

// UnmarshalText reads auto or a number.
func (l *Level) UnmarshalText(text []byte) error {
	v, err := wordOrNumber(string(text), 0, map[string]int{"auto": -1})
	*l = Level(v)
	return err
}

// String writes the number or auto.
func (l Level) String() string {
	if l < 0 {
		return "auto"
	}
	return strconv.Itoa(int(l))
}

// Steps is a number of steps >= 0, or -1 for auto.
type Steps int

// UnmarshalText reads auto or a number.
func (s *Steps) UnmarshalText(text []byte) error {
	v, err := wordOrNumber(string(text), 0, map[string]int{"auto": -1})
	*s = Steps(v)
	return err
}

// String writes the number or auto.
func (s Steps) String() string { return Level(s).String() }

// NonNegative is a number of at least 0, or -1 for auto.
type NonNegative float64

// UnmarshalText reads auto or a number.
func (v *NonNegative) UnmarshalText(text []byte) error {
	*v = -1
	if string(text) == "auto" {
		return nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(f >= 0) || math.IsInf(f, 0) {
		return fmt.Errorf("%q is neither auto nor a number from 0 on", text)
	}
	*v = NonNegative(f)
	return nil
}

// String writes the number or auto.
func (v NonNegative) String() string {
	if v < 0 {
		return "auto"
	}
	return strconv.FormatFloat(float64(v), 'g', -1, 64)
}

// Number is a positive number, or 0 for auto.
type Number float64

// UnmarshalText reads auto or a number.
func (n *Number) UnmarshalText(text []byte) error {
	*n = 0
	if string(text) == "auto" {
		return nil
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return fmt.Errorf("%q is neither auto nor a number above 0", text)
	}
	*n = Number(v)
	return nil
}

// String writes the number or auto.
func (n Number) String() string {
	if n == 0 {
		return "auto"
	}
	return strconv.FormatFloat(float64(n), 'g', -1, 64)
}

func wordOrNumber(text string, least int, words map[string]int) (int, error) {
	if v, ok := words[text]; ok {
		return v, nil
	}
	if v, err := strconv.Atoi(text); err == nil && v >= least {
		return v, nil
	}
	allowed := "auto"
	for _, word := range []string{"none", "never"} {
		if _, there := words[word]; there {
			allowed += ", " + word
		}
	}
	return 0, fmt.Errorf("%q is neither %s nor a number from %d", text, allowed, least)
}
