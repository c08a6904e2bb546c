package main

import (
	"fmt"
	"io"
)

// logs writes a program's log as it comes, on a goroutine of its own: a reader
// that is slow must not spend the program's time.
type logs struct {
	entries chan string
	done    chan struct{}
}

// maxLogEntries is more than a run keeps, its two markers included (SPEC section
// 11), so that sending never waits.
const maxLogEntries = 256

func newLogs(w io.Writer) *logs {
	l := &logs{make(chan string, maxLogEntries), make(chan struct{})}
	go func() {
		defer close(l.done)
		for entry := range l.entries {
			fmt.Fprintln(w, visible(entry))
		}
	}()
	return l
}

func (l *logs) add(entry string) { l.entries <- entry }

// close waits until everything is written. No entry may come after.
func (l *logs) close() {
	close(l.entries)
	<-l.done
}
