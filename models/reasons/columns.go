package reasons

// Column is a column of the source; its encoding is the vector's elements From to To, To excluded.
type Column struct {
	Name     string
	From, To int
}

// Share is the contribution of one column to a score.
type Share struct {
	// Column is its number among the columns.
	Column int
	// Amount is the sum of the contributions of the column's elements to Split.Global.
	Amount float64
}

// Top appends the n columns with the largest contributions to the shares, largest first; among
// equal ones the first column comes first. Columns without a positive contribution are omitted.
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
