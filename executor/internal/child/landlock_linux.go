//go:build linux && landlock

package child

import (
	ll "github.com/landlock-lsm/go-landlock/landlock"
	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"

	"errors"
)

// landlock gives up all files, TCP, and signals and abstract sockets that lead
// out of this process, as far as the kernel knows how.
func landlock(Config) error {
	if _, err := llsys.LandlockGetABIVersion(); err != nil {
		return errors.New("not supported by this kernel")
	}
	return ll.V11.BestEffort().Restrict()
}
