//go:build !race

package engine_test

// raceOn: the detector makes the slow tests of devices several times slower, so they draw less.
const raceOn = false
