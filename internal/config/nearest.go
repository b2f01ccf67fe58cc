package config

// nearest returns the candidate that a misspelt word most likely meant, or nothing if none is near: at most a third of its
// letters changed, a swap of two neighbours counting as one change. Of equals the first wins.
func nearest(word string, candidates []string) string {
	if len(word) > 64 {
		return ""
	}
	best, least := "", 0
	for _, c := range candidates {
		distance := editDistance(word, c)
		if distance <= max(len(c), len(word))/3 && (best == "" || distance < least) {
			best, least = c, distance
		}
	}
	return best
}

// editDistance counts insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			changed := 1
			if a[i-1] == b[j-1] {
				changed = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+changed)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
