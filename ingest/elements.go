package ingest

// Element says what an element of encoded vectors is of.
type Element struct {
	Column string
	// Category is the value of a text column whose rows have a number above 0 here, and
	// Text says that it is such an element. The last one of a column is of all values that
	// are not in the vocabulary, and is called other.
	Category string
	Text     bool
}

// otherCategories is what the element of all other values is called.
const otherCategories = "other"

// Elements are those of the vectors, Dim of them; nil if a vector column is encoded, whose
// elements have no names, or the metric makes one thing of all.
func (e *Encoder) Elements() []Element {
	if e.metric == Haversine {
		return nil
	}
	var out []Element
	for i := range e.columns {
		c := &e.columns[i]
		if !c.categorical() {
			for _, name := range c.elements() {
				out = append(out, Element{Column: name})
			}
			continue
		}
		for _, w := range c.Categories {
			out = append(out, Element{c.Name, w, true})
		}
		out = append(out, Element{c.Name, otherCategories, true})
	}
	return out
}
