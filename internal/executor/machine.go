package executor

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Machine is how the facts of a machine are looked up. Nil functions look at this one.
type Machine struct {
	Env      func(name string) string
	ReadFile func(path string) ([]byte, error)
	Glob     func(pattern string) []string
	Open     func(path string) error // for reading and writing
}

func (m Machine) complete() Machine {
	if m.Env == nil {
		m.Env = os.Getenv
	}
	if m.ReadFile == nil {
		m.ReadFile = os.ReadFile
	}
	if m.Glob == nil {
		m.Glob = func(pattern string) []string {
			found, _ := filepath.Glob(pattern) // the patterns are right
			return found
		}
	}
	if m.Open == nil {
		m.Open = func(path string) error {
			file, err := os.OpenFile(path, os.O_RDWR, 0)
			if err == nil {
				err = file.Close()
			}
			return err
		}
	}
	return m
}

var driverNumber = regexp.MustCompile(`\b\d{3,}\.\d+(\.\d+)?\b`)

// kernelDriver returns the version of NVIDIA's kernel module, as 580.159.04; nothing if it is not loaded.
func (m Machine) kernelDriver() string {
	text, err := m.ReadFile("/proc/driver/nvidia/version")
	if err != nil {
		return ""
	}
	if number := driverNumber.FindString(string(text)); number != "" {
		return number
	}
	return "of unknown version"
}

// hasGPU reports whether a display or compute device of NVIDIA is on the bus, driver or not.
func (m Machine) hasGPU() bool {
	for _, vendor := range m.Glob("/sys/bus/pci/devices/*/vendor") {
		text, err := m.ReadFile(vendor)
		if err != nil || strings.TrimSpace(string(text)) != "0x10de" {
			continue
		}
		class, err := m.ReadFile(filepath.Join(filepath.Dir(vendor), "class"))
		if err == nil && strings.HasPrefix(strings.TrimSpace(string(class)), "0x03") {
			return true
		}
	}
	return len(m.Glob("/dev/dxg")) > 0 // Windows' Linux
}

// denied returns the first device file that this user may not open, or nothing.
func (m Machine) denied() string {
	for _, pattern := range []string{"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia[0-9]*"} {
		for _, path := range m.Glob(pattern) {
			if err := m.Open(path); os.IsPermission(err) {
				return path
			}
		}
	}
	return ""
}

// absent returns a device file that the driver needs and that is not there, where its kernel module is loaded.
func (m Machine) absent() string {
	for _, pattern := range []string{"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia[0-9]*"} {
		if len(m.Glob(pattern)) == 0 {
			return strings.TrimSuffix(pattern, "[0-9]*")
		}
	}
	return ""
}
