package jsonrec

import (
	"fmt"
	"math"

	"unfold/ingest/record"
)

// numbers reads a list of numbers, starting at its bracket, into p.floats. If the list has other
// elements, it returns false and leaves the scanner's position unchanged. A number that exceeds
// float64 is stored in p.beyond.
func (p *parser) numbers() bool {
	start, depth := p.at, p.depth
	p.floats, p.beyond = p.floats[:0], nil
	if !p.enter() {
		return false
	}
	for more, ok := p.first(']'), true; more; {
		v, end := shortNumber(p.data, p.at)
		if end > 0 {
			p.at = end
		} else if v, ok = p.element(); !ok {
			break
		}
		p.floats = append(p.floats, v)
		// This repeats the most frequent case of p.more in place, for speed.
		if p.at < len(p.data) && p.data[p.at] == ',' {
			p.at++
			continue
		}
		if more, ok = p.more(']'); !ok {
			break
		}
	}
	if p.depth == depth && p.err == nil {
		return true
	}
	p.at, p.depth, p.err = start, depth, nil
	return false
}

// shortNumber reads a number of few digits without an exponent that is directly followed by a comma
// or bracket. Most numbers in lists are of this form, and it takes half the time of element. It
// returns the offset after the number, 0 if the number has another form.
func shortNumber(d []byte, at int) (v float64, end int) {
	i, digits, point := at, uint64(0), -1
	if i < len(d) && d[i] == '-' {
		i++
	}
	from := i
	for ; i < len(d); i++ {
		if c := d[i] - '0'; c <= 9 {
			digits = digits*10 + uint64(c)
		} else if d[i] == '.' && point < 0 {
			point = i
		} else {
			break
		}
	}
	figures := i - from
	if point >= 0 {
		figures--
	}
	// With at most 15 digits both factors are exact, so the quotient is rounded only once.
	if i == len(d) || d[i] != ',' && d[i] != ']' || figures == 0 || figures > 15 || point == from || point == i-1 {
		return 0, 0
	}
	if d[from] == '0' && i-from > 1 && point != from+1 {
		return 0, 0
	}
	v = float64(digits)
	if point >= 0 {
		v /= powers[i-1-point]
	}
	if from > at {
		v = -v
	}
	return v, i
}

// element reads an element of a list of numbers.
func (p *parser) element() (float64, bool) {
	switch c := p.peek(); c {
	case 'N', 'I', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		n, ok := p.number()
		if !ok {
			return 0, false
		}
		v, ok := n.float()
		if !ok {
			p.beyond = n.raw
		}
		return v, true
	case 'n':
		return math.NaN(), p.word("null")
	case '"':
		raw, _, ok := p.text()
		if !ok {
			return 0, false
		}
		return namedFloat(raw)
	}
	return 0, false
}

// namedFloat parses the names that Java programs write for numbers that JSON does not have.
func namedFloat(raw []byte) (float64, bool) {
	switch string(raw) {
	case "NaN":
		return math.NaN(), true
	case "Infinity":
		return math.Inf(1), true
	case "-Infinity":
		return math.Inf(-1), true
	}
	return 0, false
}

// sparse reads {"dimensions": 5, "vector": {"1": 0.5, "3": 2}}, starting at its brace, as a dense
// vector into p.floats. The vector may also be a list of pairs, which is how Kafka Connect writes
// maps with numeric keys. If the object is not of this form, sparse returns false and leaves the
// scanner's position unchanged.
func (p *parser) sparse() bool {
	start, depth := p.at, p.depth
	p.outside = ""
	if name := p.firstName(); name != "dimensions" && name != "vector" {
		return false
	}
	p.beyond = nil
	fields, ok := p.index(2)
	if ok && len(fields) == 2 {
		if fields[0].name == "vector" {
			fields[0], fields[1] = fields[1], fields[0]
		}
		if fields[0].name == "dimensions" && fields[1].name == "vector" {
			end := p.at
			if n, ok := p.dimensions(fields[0].at); ok && p.scatter(n, fields[1].at) {
				p.at, p.depth = end, depth
				return true
			}
		}
	}
	p.at, p.depth, p.err = start, depth, nil
	return false
}

func (p *parser) dimensions(at int) (int, bool) {
	p.at = at
	if c := p.peek(); c < '0' || c > '9' {
		return 0, false
	}
	n, ok := p.number()
	if !ok {
		return 0, false
	}
	v, ok := n.integer()
	if ok && v > record.MaxDimensions {
		p.outside = fmt.Sprintf("a sparse vector of %d dimensions is too long", v)
		return 0, false
	}
	return int(v), ok
}

// scatter stores the elements of a sparse vector at their positions.
func (p *parser) scatter(n, at int) bool {
	p.floats = append(p.floats[:0], make([]float64, n)...)
	p.at = at
	open := p.peek()
	if open != '{' && open != '[' || !p.enter() {
		return false
	}
	end := open + 2
	for more, ok := p.first(end), true; more; {
		if open == '{' {
			ok = p.namedElement()
		} else {
			ok = p.pair()
		}
		if !ok {
			return false
		}
		if more, ok = p.more(end); !ok {
			return false
		}
	}
	return true
}

// namedElement reads "3": 2.5.
func (p *parser) namedElement() bool {
	raw, _, ok := p.key()
	if !ok || len(raw) == 0 || len(raw) > 18 {
		return false
	}
	i := 0
	for _, c := range raw {
		if c < '0' || c > '9' {
			return false
		}
		i = i*10 + int(c-'0')
	}
	return p.put(i)
}

// pair reads [3, 2.5].
func (p *parser) pair() bool {
	if p.peek() != '[' || !p.enter() {
		return false
	}
	i, ok := p.dimensions(p.at)
	if !ok {
		return false
	}
	if more, ok := p.more(']'); !ok || !more || !p.put(i) {
		return false
	}
	more, ok := p.more(']')
	return ok && !more
}

// put reads an element and stores it at its position. Indices begin with 1, because Debezium takes
// them from pgvector's text form.
func (p *parser) put(i int) bool {
	v, ok := p.element()
	if ok && (i < 1 || i > len(p.floats)) {
		p.outside = fmt.Sprintf("it has element %d of a sparse vector of %d dimensions; they begin with 1", i, len(p.floats))
		return false
	}
	if !ok {
		return false
	}
	p.floats[i-1] = v
	return true
}
