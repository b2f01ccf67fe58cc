// Package report is the shape of what demo, run, replay and bench say about a run: one object for programs, one
// table for people. Fields are only added.
package report
