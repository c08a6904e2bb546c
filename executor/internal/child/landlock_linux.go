package child

import (
	"errors"
	"fmt"

	ll "github.com/landlock-lsm/go-landlock/landlock"
	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// tcpABI is the first version of Landlock that restricts TCP; those before it
// restrict files.
const tcpABI = 4

// landlock gives up all files, TCP, and signals and abstract sockets that lead
// out of this process, as far as the kernel knows how.
func landlock(Config) error {
	abi, err := llsys.LandlockGetABIVersion()
	if err != nil {
		return errors.New("not supported by this kernel")
	}
	if err := ll.V11.BestEffort().Restrict(); err != nil {
		return err
	}
	return complete(abi)
}

// complete says what a version of Landlock leaves.
func complete(abi int) error {
	if abi < tcpABI {
		return fmt.Errorf("files are given up, TCP is not: this kernel has version %d, and %d is needed", abi, tcpABI)
	}
	return nil
}
