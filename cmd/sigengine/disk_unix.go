//go:build linux || darwin || freebsd

package main

import "golang.org/x/sys/unix"

// freeBytes returns how much may still be written to a folder's file system.
func freeBytes(dir string) (int64, bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
