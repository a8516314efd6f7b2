package landmark

// Bounds are what the landmarks of a Dynamic depend on beside the points that are
// there: of every part that is cut, the number up to which a node's makes it a landmark.
// They are a value of their own, to be kept as JSON.
type Bounds struct {
	Bound uint64 `json:"bound,string"`
	// Top is that of the landmarks, Groups are those of the groups by their landmark's
	// slot: nil, or not there, if they are not cut.
	Top    *Bounds           `json:"top,omitempty"`
	Groups map[int32]*Bounds `json:"groups,omitempty"`
}

// Bounds returns where the landmarks stand, nil if there are none. A Dynamic without
// points that Resume has given them, and then in one call of Insert the same points in
// the same slots, has the same landmarks, now and after the same changes.
func (d *Dynamic) Bounds() *Bounds { return d.root.bounds() }

// Resume says where the landmarks go on from, before the first call of Insert. Bounds
// that would make too many landmarks or too few of the points are corrected.
func (d *Dynamic) Resume(b *Bounds) { d.root.given = b }

// SetFloor replaces Settings.Floor, on which no landmark depends.
func (d *Dynamic) SetFloor(floor float64) { d.settings.Floor = floor }

func (p *part) bounds() *Bounds {
	if p == nil || p.landmarks == nil {
		return nil
	}
	b := &Bounds{Bound: p.draw.bound, Top: p.top.bounds()}
	for a, g := range p.groups {
		if of := g.bounds(); of != nil {
			if b.Groups == nil {
				b.Groups = map[int32]*Bounds{}
			}
			b.Groups[a] = of
		}
	}
	return b
}

// resume takes the bound over that was given to a part which is cut for the first
// time, and returns its landmarks among the nodes that were there before others joined.
func (p *part) resume(given *Bounds, join []int32) []int32 {
	p.given, p.draw.bound = nil, given.Bound
	if p.top != nil {
		p.top.given = given.Top
	}
	return p.draw.within(without(p.nodes, join), []int32{})
}
