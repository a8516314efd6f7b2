package live

// Changed appends, ascending, the slots whose entries of K the last Insert or Delete changed,
// those of new and of deleted points included. Who keeps something that is made of the lists
// brings it up to date by them.
func (g *Graph) Changed(to []int32) []int32 { return g.changed.members(to) }
