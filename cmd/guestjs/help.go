package main

import (
	_ "embed"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

//go:embed usage.txt
var usage string

func (a *app) help() int {
	if _, err := io.WriteString(a.stdout, usage); err != nil {
		return a.failed(err)
	}
	return exitValue
}

// enginePath is the module that holds the engine.
const enginePath = "modernc.org/libquickjs"

func (a *app) version() int {
	version, engine := "(devel)", "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			version = info.Main.Version
		}
		for _, dep := range info.Deps {
			if dep.Path == enginePath {
				engine = dep.Version
			}
		}
	}
	_, err := fmt.Fprintf(a.stdout, "guestjs %s\nengine %s %s\n%s %s/%s\n",
		version, enginePath, engine, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if err != nil {
		return a.failed(err)
	}
	return exitValue
}
