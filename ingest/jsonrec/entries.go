package jsonrec

// entries reads a list [{"index": 3, "value": 0.5}, ...], starting at its bracket, into p.indices
// and p.floats. If the list is not of this form, it returns false and leaves the scanner's position
// unchanged.
func (p *parser) entries() bool {
	start, depth := p.at, p.depth
	p.indices, p.floats, p.beyond = p.indices[:0], p.floats[:0], nil
	if !p.enter() {
		return false
	}
	for more, ok := p.first(']'), true; more; {
		if ok = p.entry(); !ok {
			break
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

// entry reads an object with an index and a value, in any order.
func (p *parser) entry() bool {
	if p.peek() != '{' || !p.enter() {
		return false
	}
	index, value := len(p.indices), len(p.floats)
	for more, ok := p.first('}'), true; more; {
		name, _, is := p.key()
		switch {
		case !is:
			return false
		case string(name) == "index":
			ok = p.entryIndex()
		case string(name) == "value":
			var v float64
			if v, ok = p.element(); ok {
				p.floats = append(p.floats, v)
			}
		default:
			return false
		}
		if !ok {
			return false
		}
		if more, ok = p.more('}'); !ok {
			return false
		}
	}
	return len(p.indices) == index+1 && len(p.floats) == value+1
}

// entryIndex reads an integer. The encoder checks later whether it is a valid index.
func (p *parser) entryIndex() bool {
	if c := p.peek(); c != '-' && (c < '0' || c > '9') {
		return false
	}
	n, ok := p.number()
	if !ok {
		return false
	}
	v, ok := n.integer()
	if !ok || v > 1<<63-1 {
		return false
	}
	if n.negative {
		v = -v
	}
	p.indices = append(p.indices, int64(v))
	return true
}
