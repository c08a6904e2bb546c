package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"unicode/utf8"

	"github.com/guestjs/guestjs/contract"
)

// The codes of what files refuses, as usage.txt has them.
const (
	codeNotFound   = "not_found"
	codeOutside    = "outside"
	codeNotAFile   = "not_a_file"
	codeNotText    = "not_text"
	codeNotJSON    = "not_json"
	codeTooLarge   = "too_large"
	codeDenied     = "denied"
	codeBadPattern = "bad_pattern"
	codeUnreadable = "unreadable"
)

// maxReply is how many bytes of JSON a reply may take: the bound of a host call
// less what wraps it (SPEC section 7).
const maxReply = 262_144 - len(`{"ok":true,"value":}`)

// files lets a program read below one directory. The root is what keeps it
// there: it follows no path and no link that leads out, whoever changes the
// directory meanwhile.
type files struct {
	root *os.Root
	// outside is what root answers with then. Package os does not name it.
	outside error
}

// openFiles opens the directory. The caller closes it.
func openFiles(dir string) (*files, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	_, err = root.Stat("..")
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return &files{root: root, outside: err}, nil
}

func (f *files) Close() error { return f.root.Close() }

// provider is the guest's `files`.
func (f *files) provider() contract.Provider {
	return contract.Provider{Name: "files", Functions: map[string]contract.HostFunc{
		"list":     contract.Func(f.list),
		"read":     contract.Func(f.read),
		"readJSON": contract.Func(f.readJSON),
	}}
}

func (f *files) read(_ context.Context, name string) (json.RawMessage, error) {
	data, err := f.text(name)
	if err != nil {
		return nil, err
	}
	return reply(name, string(data))
}

func (f *files) readJSON(_ context.Context, name string) (json.RawMessage, error) {
	data, err := f.text(name)
	if err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if err := jsonError(data); err != nil {
		return nil, refuse(codeNotJSON, "%s%v", name, err)
	}
	return reply(name, json.RawMessage(data))
}

// text returns what a text file holds.
func (f *files) text(name string) ([]byte, error) {
	local, err := f.local(name)
	if err != nil {
		return nil, err
	}
	// Looked at before it is opened: opening a pipe waits for somebody to write.
	info, err := f.root.Stat(local)
	if err != nil {
		return nil, f.refusal(name, err)
	}
	if !info.Mode().IsRegular() {
		what := "not a regular file"
		if info.IsDir() {
			what = "a directory; files.list finds what is in it"
		}
		return nil, refuse(codeNotAFile, "%s is %s", name, what)
	}
	file, err := f.root.Open(local)
	if err != nil {
		return nil, f.refusal(name, err)
	}
	defer file.Close()
	// White space between the parts of a JSON file does not cross, so a file
	// somewhat over the bound may still fit.
	data, err := io.ReadAll(io.LimitReader(file, 4*int64(maxReply)+1))
	switch {
	case err != nil:
		return nil, f.refusal(name, err)
	case len(data) > 4*maxReply:
		return nil, tooLarge(name, info.Size())
	case !utf8.Valid(data):
		return nil, refuse(codeNotText, "%s is not UTF-8 text", name)
	}
	return data, nil
}

// local turns a guest's path, with slashes, into one of this system.
func (f *files) local(name string) (string, error) {
	if name == "" {
		return "", refuse(codeNotFound, "the path is empty; name a file")
	}
	clean := path.Clean(filepath.ToSlash(name))
	local, err := filepath.Localize(clean)
	if err != nil {
		return "", refuse(codeOutside, "%s is not below the directory of --files", name)
	}
	return local, nil
}

// refusal tells the guest what the system said, without where on the system.
func (f *files) refusal(name string, err error) error {
	switch {
	case errors.Is(err, f.outside):
		return refuse(codeOutside, "%s leads out of the directory of --files", name)
	case errors.Is(err, fs.ErrNotExist):
		return refuse(codeNotFound, "there is no file %s", name)
	case errors.Is(err, fs.ErrPermission):
		return refuse(codeDenied, "%s may not be read", name)
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return refuse(codeUnreadable, "%s cannot be read: %v", name, err)
}

// reply writes a value as JSON within the bound of a reply.
func reply(name string, v any) (json.RawMessage, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	data := bytes.TrimSuffix(text.Bytes(), []byte("\n"))
	if len(data) > maxReply {
		return nil, tooLarge(name, int64(len(data)))
	}
	return data, nil
}

func tooLarge(name string, size int64) error {
	f := refuse(codeTooLarge, "%s takes %d bytes, and a reply at most %d; split it, or hand it in with --input", name, size, maxReply)
	f.Details = map[string]any{"size": size, "limit": maxReply}
	return f
}

func refuse(code, format string, args ...any) *contract.Failure {
	return &contract.Failure{Code: code, Message: fmt.Sprintf(format, args...)}
}
