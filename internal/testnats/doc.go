// Package testnats gives tests a NATS server: embedded (Start), or a process of its own that can be killed and
// frozen (StartProcess). Both listen on loopback and end with the test.
//
// The process is nats-server itself, built once from the module graph and kept in the user's cache, so it needs no
// network and no installation. A test that asks for it is skipped, with the reason, where there is no Go command.
package testnats
