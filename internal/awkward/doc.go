// Package awkward makes inputs that find mistakes, for tests and for proofs on hardware: ticks with undefined, infinite
// and subnormal values, signed zeros, gaps and jumps in time; one expression for every operator of the catalogue;
// random programs. Everything is a function of a seed, which whoever fails prints.
package awkward
