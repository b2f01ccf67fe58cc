package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the process at once
	}()
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, lookupEnv: os.LookupEnv}
	os.Exit(a.execute(ctx, os.Args[1:]))
}
