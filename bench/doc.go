// Package bench measures this machine, each figure beside a plain baseline taken in the same run.
//
//	Codec     decoders, beside fastjson's bare parse and encoding/json
//	Ring      a hand-over between two goroutines, beside a buffered channel
//	Program   the six signals, by batch size, and each operator alone
//	GPU       round trips, throughput, bursts, replay, the crossover, beside C++ and PyTorch programs (bench/baselines)
//	Pipeline  feed process ─► embedded NATS ─► engine ─► NATS ─► consumer process, beside a relay that computes nothing
//
// A benchmark reports; it never decides whether a test passes. A ratio is the median of at least seven interleaved
// pairs, because machines drift. Load is open loop: what a stall delays is counted as late. Results are Reports, kept
// under bench/results/<machine>/<what>.json with the machine, the versions and the date.
//
// One goroutine calls; the benchmarks start goroutines and child processes of their own and end them.
package bench
