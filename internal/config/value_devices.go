package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// DevicesMax is how many GPUs a configuration can name; their indexes are below it.
const DevicesMax = 64

// errDevice says what a device is called.
var errDevice = errors.New("want the number of a GPU, from 0; sigengine check lists them")

// devices is the value of `devices`.
type devices struct{ field *[]int }

func (v devices) describe() string { return "a number or a list of numbers" }

func (v devices) decode(d *decoder, path string, n *yaml.Node) {
	*v.field = nil
	words(d, path, n, v.describe(), func(text string) error {
		index, err := strconv.Atoi(text)
		if err != nil {
			return errDevice
		}
		*v.field = append(*v.field, index)
		return nil
	})
}

func (v devices) check(r *report, path string) {
	if wrong, hint := WrongDevices(*v.field); wrong != "" {
		r.add(path, wrong, hint)
	}
}

func (v devices) encode() *yaml.Node {
	if len(*v.field) == 0 {
		return nil
	}
	n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, index := range *v.field {
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(index)})
	}
	return n
}

// WrongDevices returns what is wrong with a list of GPUs, as the end of a sentence, and a hint; nothing if it is right.
func WrongDevices(list []int) (wrong, hint string) {
	for i, index := range list {
		switch {
		case index < 0 || index >= DevicesMax:
			return fmt.Sprintf("names GPU %d", index), fmt.Sprintf("GPUs are numbered from 0 to %d at most", DevicesMax-1)
		case slices.Contains(list[:i], index):
			return fmt.Sprintf("names GPU %d twice", index), "name each once"
		}
	}
	return "", ""
}
