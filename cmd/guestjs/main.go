package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/guestjs/guestjs/executor"
)

func main() {
	executor.ChildMain()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends the run in good order; the next one, as ever, the
	// process.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
