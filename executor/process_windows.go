package executor

import (
	"fmt"
	"os"
	"os/exec"
)

// handDown gives the child its ends as stdin and stdout: this system has no
// numbered descriptors to inherit.
func handDown(cmd *exec.Cmd, pipes *childPipeEnds) {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pipes.childIn, pipes.childOut, pipes.childErr
}

// firstInherited is the number of stdin, which is always there.
const firstInherited = 0

// inherited are the child's own ends. What else writes to stdout must not
// reach the parent.
func inherited(int) (in, out *os.File, err error) {
	in, out = os.Stdin, os.Stdout
	os.Stdout = os.Stderr
	return in, out, nil
}

func askToEnd(p *os.Process) error { return p.Kill() }

func exitText(state *os.ProcessState) string { return fmt.Sprintf("code %d", state.ExitCode()) }

func peakMemory(*os.ProcessState) int64 { return 0 }

// pipeReader reads what a child says: pipes have no poller here, and closing one
// lets go of its reader.
type pipeReader struct{ *os.File }

func newPipeReader(end *os.File) (*os.File, *pipeReader, error) { return end, &pipeReader{end}, nil }

func (r *pipeReader) giveUp() {}
