// Command sigengine is the one binary of the project: run `sigengine --help`.
//
//	main ─► execute ─► cobra command (one file each) ─► the packages that do the work
//	                        │
//	                        └─► error ─► exit.go: one line on stderr, and the exit code
//
// The commands only wire: they read flags, make what a package needs, print what it says. What is shared: app.go (streams,
// environment, logger), environment.go (SIGENGINE_* for every flag), server.go (how to reach NATS), exit.go (codes and lines).
//
// Results go to stdout, everything else to stderr, so that stdout can be piped. A command returns an error and never prints it;
// it never calls os.Exit. To add a command: a file with its constructor, a line in root.go, its help in testdata/help
// (`go test -update`).
package main
