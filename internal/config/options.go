package config

import "github.com/sigengine/sigengine/kernels"

// Options returns what package kernels needs to compile Specs.
func (c *Config) Options() kernels.Options { return c.options() }

// Nearest returns the candidate that a misspelt word most likely meant, or nothing if none is near.
func Nearest(word string, candidates []string) string { return nearest(word, candidates) }
