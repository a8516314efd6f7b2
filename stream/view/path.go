package view

// pathBytes bounds the memory for changes of the map, which are kept for places that arrive late.
const pathBytes = 32 << 20

// stepBytes is the approximate memory per base point of a change: its old place, displacement and
// cell.
const stepBytes = 24

// step is a change of the map. The function move maps places on the old map to places on the next.
type step struct {
	from  MapState
	move  func(x, y float32) (float32, float32)
	bytes int
}

// path holds the last changes of the map, oldest first; the last one leads to the map that is
// shown.
type path []step

// with returns a new path with a further change, without the oldest changes beyond pathBytes; the
// newest is always kept. The old path is not modified, so it may be read concurrently.
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

// since returns the changes from an older map to the map that is shown, and false if they are not
// known.
func (p path) since(from MapState) (steps path, known bool) {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i].from == from {
			return p[i:], true
		}
	}
	return nil, false
}

// carry applies all changes to places and returns the results; x and y are not modified.
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
