// Package testdata finds the shared reference data that some tests read: genuine captures and vectors from other
// libraries. They lie beside the project, not in it, so a checkout alone runs every test that does not need them.
//
//	<parent>/
//	  main/            the project root, where go.mod is
//	  shared/data/     what Shared looks in
//
// Tests call it, from any goroutine that may call testing.TB.Skip. It never copies or changes the data.
package testdata
