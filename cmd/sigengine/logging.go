package main

import "log/slog"

// plainErrors writes errors in the log as the last line of a command writes them.
func plainErrors(_ []string, attribute slog.Attr) slog.Attr {
	if err, ok := attribute.Value.Any().(error); ok {
		attribute.Value = slog.StringValue(oneLine(plain(err.Error())))
	}
	return attribute
}

// startLog makes the logger that the flags ask for.
func (a *app) startLog() error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(a.logLevel)); err != nil {
		return usagef("--log-level is %q; want debug, info, warn or error", a.logLevel)
	}
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: plainErrors}
	switch a.logFormat {
	case "text":
		a.log = slog.New(slog.NewTextHandler(a.err, options))
	case "json":
		a.log = slog.New(slog.NewJSONHandler(a.err, options))
	default:
		return usagef("--log-format is %q; want text or json", a.logFormat)
	}
	return nil
}
