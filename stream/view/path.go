package view

// pathBytes bounds what is kept of changes of the map, for places that come late.
const pathBytes = 32 << 20

// stepBytes is about what a change keeps of each point of the base: where it was and how far it
// went, and its cell.
const stepBytes = 24

// step is a change of the map: move leads from places on the map from to those on the next one.
type step struct {
	from  MapState
	move  func(x, y float32) (float32, float32)
	bytes int
}

// path are the last changes of the map, oldest first, up to the map that is shown.
type path []step

// with returns the path with another change, without the oldest ones beyond pathBytes; the newest
// one stays. Readers of the old path keep it as it was.
func (p path) with(s step) path {
	out := append(p[:len(p):len(p)], s)
	bytes := 0
	for i := len(out) - 1; i >= 0; i-- {
		if bytes += out[i].bytes; bytes > pathBytes && i < len(out)-1 {
			return out[i+1:]
		}
	}
	return out
}

// since returns the changes that lead from a map to the one that is shown. It reports false if they
// are not known.
func (p path) since(from MapState) (steps path, known bool) {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i].from == from {
			return p[i:], true
		}
	}
	return nil, false
}

// carry leads places through all changes; it leaves x and y as they are.
func (p path) carry(x, y []float32) (nx, ny []float32) {
	nx, ny = make([]float32, len(x)), make([]float32, len(y))
	for i := range x {
		nx[i], ny[i] = x[i], y[i]
		for _, s := range p {
			if !finite(nx[i], ny[i]) {
				break
			}
			nx[i], ny[i] = s.move(nx[i], ny[i])
		}
	}
	return nx, ny
}
