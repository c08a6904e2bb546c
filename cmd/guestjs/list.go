package main

import (
	"context"
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// maxVisited bounds how many directory entries one list looks at.
const maxVisited = 100_000

// list returns the paths of the regular files below the directory that match a
// pattern, sorted. No pattern means all.
func (f *files) list(ctx context.Context, pattern *string) (json.RawMessage, error) {
	parts := []string{"**"}
	if pattern != nil {
		parts = strings.Split(*pattern, "/")
	}
	for _, part := range parts {
		if _, err := path.Match(part, ""); err != nil || part == "" || part == "." || part == ".." {
			return nil, refuse(codeBadPattern, "the pattern %q is not one; write names with *, ?, [a-z] and / between, ** for any directories", *pattern)
		}
	}
	found, visited := []string{}, 0
	err := fs.WalkDir(f.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if visited++; visited > maxVisited {
			return refuse(codeTooLarge, "there are more than %d files; use a pattern that begins with a directory", maxVisited)
		}
		switch {
		case err != nil && name == ".":
			return f.refusal(name, err)
		case err != nil:
			return nil // a directory that may not be read, or went away, lists nothing
		case name == ".":
			return nil
		case entry.IsDir():
			if !couldMatch(parts, strings.Split(name, "/")) {
				return fs.SkipDir
			}
			return nil
		}
		if matches(parts, strings.Split(name, "/")) && f.isFile(name, entry) {
			found = append(found, name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(found)
	return reply("the list", found)
}

// isFile reports whether read would find a regular file: a link counts when it
// leads to one below the directory.
func (f *files) isFile(name string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink == 0 {
		return entry.Type().IsRegular()
	}
	info, err := fs.Stat(f.root.FS(), name)
	return err == nil && info.Mode().IsRegular()
}

// matches reports whether a path fits a pattern, part by part; ** is any number
// of directories, or everything below when it comes last.
func matches(pattern, name []string) bool {
	for len(pattern) > 0 && pattern[0] != "**" {
		if len(name) == 0 {
			return false
		}
		if ok, _ := path.Match(pattern[0], name[0]); !ok {
			return false
		}
		pattern, name = pattern[1:], name[1:]
	}
	if len(pattern) == 0 {
		return len(name) == 0
	}
	rest := pattern[1:]
	for len(rest) > 0 && rest[0] == "**" { // one is as good as two, and one try faster
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return len(name) > 0
	}
	for i := range name {
		if matches(rest, name[i:]) {
			return true
		}
	}
	return false
}

// couldMatch reports whether something below a directory may fit a pattern.
func couldMatch(pattern, dir []string) bool {
	for i, part := range dir {
		switch {
		case i >= len(pattern):
			return false
		case pattern[i] == "**":
			return true
		}
		if ok, _ := path.Match(pattern[i], part); !ok {
			return false
		}
	}
	return len(pattern) > len(dir)
}
