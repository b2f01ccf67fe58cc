package expr

// nearest returns the candidate with the fewest edits from name, or "" if none is near. At most a third of
// the letters may differ, at least one. Of equals the first wins, so give candidates in a fixed order.
func nearest(name string, candidates []string) string {
	if len(name) > maxSuggestBytes {
		return ""
	}
	best, bestDistance := "", max(1, len(name)/3)+1
	for _, candidate := range candidates {
		if d := editDistance(name, candidate, bestDistance); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

const maxSuggestBytes = 64

// editDistance is the number of insertions, deletions, replacements and swaps of neighbours that turn a into
// b, or limit if it is not below that.
func editDistance(a, b string, limit int) int {
	if len(b) > maxSuggestBytes || max(len(a), len(b))-min(len(a), len(b)) >= limit {
		return limit
	}
	var rows [3][maxSuggestBytes + 1]int
	for j := range b {
		rows[0][j+1] = j + 1
	}
	beforeLast, last, row := &rows[2], &rows[0], &rows[1]
	for i := range len(a) {
		row[0] = i + 1
		lowest := row[0]
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			d := min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, beforeLast[j-1]+1)
			}
			row[j+1] = d
			lowest = min(lowest, d)
		}
		if lowest >= limit {
			return limit
		}
		beforeLast, last, row = last, row, beforeLast
	}
	return min(last[len(b)], limit)
}
