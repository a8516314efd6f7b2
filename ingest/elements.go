package ingest

// Element describes an element of encoded vectors.
type Element struct {
	Column string
	// Category is the value of a text column for which this element is above 0. Text is true for
	// such elements. The last element of a text column stands for all values outside the vocabulary
	// and is called other.
	Category string
	Text     bool
}

// otherCategories is the name of the element of all other values.
const otherCategories = "other"

// Elements returns a description of each of the Dim elements. It returns nil for a vector column,
// whose elements have no names, and for a metric that mixes all columns.
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
