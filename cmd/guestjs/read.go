package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/guestjs/guestjs/contract"
)

// errTooLarge says that there was more to read than asked for.
var errTooLarge = errors.New("too large")

// read returns all of a file, or of standard input for "-". More than most bytes
// are errTooLarge.
func (a *app) read(ctx context.Context, name string, most int64) ([]byte, error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return readAtMost(f, most)
	}
	// Nothing ends a read of standard input, so Ctrl-C leaves it behind; the
	// process is about to end.
	type answer struct {
		data []byte
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		data, err := readAtMost(a.stdin, most)
		done <- answer{data, err}
	}()
	select {
	case got := <-done:
		return got.data, got.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func readAtMost(r io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		err = errTooLarge
	}
	return data, err
}

// source reads the program.
func (a *app) source(ctx context.Context, name string) (string, error) {
	most := contract.DefaultLimits().Source
	data, err := a.read(ctx, name, most)
	if errors.Is(err, errTooLarge) {
		err = fmt.Errorf("%s: a program is at most %s", shown(name), sizeText(most))
	}
	return string(data), err
}

// input reads the JSON that becomes a global. It has to fit the guest's memory.
func (a *app) input(ctx context.Context, name string, memory int64) (json.RawMessage, error) {
	data, err := a.read(ctx, name, memory)
	if errors.Is(err, errTooLarge) {
		return nil, fmt.Errorf("-input %s: more than the program's memory of %s; see -memory", shown(name), sizeText(memory))
	}
	if err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if err := jsonError(data); err != nil {
		return nil, fmt.Errorf("-input %s%w", shown(name), err)
	}
	return data, nil
}

// jsonError reports why data is not JSON, as ":line:column: reason", or nil.
func jsonError(data []byte) error {
	if json.Valid(data) {
		return nil
	}
	var v any
	err := json.Unmarshal(data, &v)
	line, column := 1, 1
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		// Offset counts the bytes that were read, the bad one included.
		before := data[:max(0, min(syntax.Offset-1, int64(len(data))))]
		line += bytes.Count(before, []byte("\n"))
		column = len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:]))) + 1
	}
	return fmt.Errorf(":%d:%d: not JSON: %w", line, column, err)
}

// shown is what to call a file in messages.
func shown(name string) string {
	if name == "-" {
		return "stdin"
	}
	return name
}
