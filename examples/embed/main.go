// Command embed shows a Go program that runs guest code with two host functions.
// One of them refuses after a while, with a typed failure; the guest catches it,
// sees that it may try again later, and hands back what is left to do.
//
//	go run ./examples/embed
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
)

//go:embed remind.js
var source string

func main() {
	executor.ChildMain() // so that Isolation: executor.Process is one option away
	if err := remind(context.Background(), os.Stdout, executor.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
}

// remind runs the program and tells what came of it.
func remind(ctx context.Context, w io.Writer, o executor.Options) error {
	ex, err := executor.New(o)
	if err != nil {
		return err
	}
	defer ex.Close(ctx)

	post := &mailer{left: 3}
	out, err := ex.Execute(ctx, contract.Program{
		Source: source,
		Name:   "remind.js",
		Providers: []contract.Provider{
			{Name: "billing", Functions: map[string]contract.HostFunc{"overdue": contract.Func(overdue)}},
			{Name: "mail", Functions: map[string]contract.HostFunc{"send": contract.Func(post.send)}},
		},
	})
	if err != nil {
		return err // it was not let in, or torn down: *contract.RefusedError
	}
	for _, entry := range out.Logs {
		fmt.Fprintln(w, "log:", entry)
	}
	for _, c := range out.Calls {
		fmt.Fprintf(w, "call %d: %s %s\n", c.Number, c.Name, c.State)
	}
	if out.Err != nil {
		return fmt.Errorf("the program gave no value (a limit ended it: %t): %w", errors.As(out.Err, new(*contract.InterruptError)), out.Err)
	}
	var report struct {
		Sent  int      `json:"sent"`
		Left  []string `json:"left"`
		Again int64    `json:"tryAgainInMs"`
	}
	if err := json.Unmarshal(out.Value, &report); err != nil {
		return err
	}
	fmt.Fprintf(w, "sent %d, left %v, again in %d ms\n", report.Sent, report.Left, report.Again)
	return nil
}
