package landmark

// Bounds are the state of a Dynamic that determines its landmarks for given points. For every part
// that is divided, it has the largest number of a node that is a landmark. Bounds can be stored as
// JSON.
type Bounds struct {
	Bound uint64 `json:"bound,string"`
	// Top has the bounds of the landmarks' own part. Groups has those of the groups, by their
	// landmark's slot; a group that is not divided is nil or missing.
	Top    *Bounds           `json:"top,omitempty"`
	Groups map[int32]*Bounds `json:"groups,omitempty"`
}

// Bounds returns the current bounds, nil if there are no landmarks. To restore the landmarks, pass
// the bounds to Resume of an empty Dynamic and insert the same points in the same slots in one call
// of Insert. It then has the same landmarks, now and after the same changes.
func (d *Dynamic) Bounds() *Bounds { return d.root.bounds() }

// Resume sets the bounds to continue from. It must be called before the first Insert. Bounds that
// would give too many or too few landmarks for the points are corrected.
func (d *Dynamic) Resume(b *Bounds) { d.root.given = b }

// SetFloor changes Settings.Floor, which does not affect landmarks.
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

// resume applies the given bound to a part that is divided for the first time. It returns the
// landmarks among the nodes that were present before others joined.
func (p *part) resume(given *Bounds, join []int32) []int32 {
	p.given, p.draw.bound = nil, given.Bound
	if p.top != nil {
		p.top.given = given.Top
	}
	return p.draw.within(without(p.nodes, join), []int32{})
}
