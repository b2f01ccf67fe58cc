package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"

	"go.yaml.in/yaml/v3"
)

// String returns the effective configuration as YAML, every key that has a value, signals of a signals file among the others.
// Parse reads it back to the same Config. There are no secrets in it, as there are none in a Config.
func (c *Config) String() string {
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	err := encoder.Encode(encodeKeys(c.keys()))
	if err == nil {
		err = encoder.Close()
	}
	if err != nil {
		panic("config: cannot print itself: " + err.Error()) // the nodes are our own
	}
	return b.String()
}

// Hash returns the SHA-256 of String, 64 hex digits: the same for every file that means the same.
func (c *Config) Hash() string {
	sum := sha256.Sum256([]byte(c.String()))
	return hex.EncodeToString(sum[:])
}

// Equal reports whether two configurations mean the same.
func (c *Config) Equal(other *Config) bool { return c.String() == other.String() }
