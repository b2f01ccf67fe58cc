package feed

// DepthLevelMax is the highest level number a depth tick can carry.
const DepthLevelMax = 1<<16 - 1

// DepthValue returns the first value of a KindDepth tick: the side as its sign, the level in its size.
//
//	±1       the level is named by its price alone
//	±(1+n)   level n of the book, 1 being the best, at most DepthLevelMax
//
// A plus is the bid side, a minus the ask side. A size of zero removes the level.
func DepthValue(bid bool, level uint16) float64 {
	value := 1 + float64(level)
	if bid {
		return value
	}
	return -value
}

// SplitDepthValue returns what DepthValue joined; ok is false if it could not have made value.
func SplitDepthValue(value float64) (bid bool, level uint16, ok bool) {
	bid = value > 0
	if !bid {
		value = -value
	}
	if !(value >= 1 && value <= 1+DepthLevelMax) {
		return false, 0, false
	}
	level = uint16(int32(value) - 1)
	return bid, level, float64(level)+1 == value
}
