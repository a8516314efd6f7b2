package reasons

// Column is a column of the source, whose encoding is elements From to To, exclusively.
type Column struct {
	Name     string
	From, To int
}

// Share is what a column carries.
type Share struct {
	// Column is its number among the columns.
	Column int
	// Amount is what its elements carry together of Split.Global.
	Amount float64
}

// Top appends to the shares of at most n columns that carry most, the most first; of equal
// ones the first column comes first. Columns that carry nothing, or that bring the event
// nearer, are left out.
func (s *Split) Top(to []Share, columns []Column, n int) []Share {
	begin := len(to)
	for c, column := range columns {
		var sum float64
		for _, v := range s.Amount[column.From:column.To] {
			sum += v
		}
		if !(sum > 0) {
			continue
		}
		at := len(to)
		for at > begin && to[at-1].Amount < sum {
			at--
		}
		if at-begin >= n {
			continue
		}
		if len(to)-begin < n {
			to = append(to, Share{})
		}
		copy(to[at+1:], to[at:])
		to[at] = Share{c, sum}
	}
	return to
}
