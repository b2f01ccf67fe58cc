package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const environmentPrefix = "SIGENGINE_"

// variableOf returns the environment variable of a flag: SIGENGINE_LOG_FORMAT for log-format.
func variableOf(flag string) string {
	return environmentPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// flagsFromEnvironment sets every flag that was not given from its variable, if that is set and not empty.
func (a *app) flagsFromEnvironment(c *cobra.Command) error {
	var wrong error
	c.Flags().VisitAll(func(f *pflag.Flag) {
		text := a.env(variableOf(f.Name))
		if f.Changed || text == "" || f.Name == "help" || wrong != nil {
			return
		}
		if err := c.Flags().Set(f.Name, text); err != nil {
			wrong = usagef("environment variable %s: %w; correct it or unset it", variableOf(f.Name), err)
		}
	})
	return wrong
}
