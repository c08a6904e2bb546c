//go:build linux && !landlock

package child

import "errors"

func landlock(Config) error { return errors.New("not built in") }
