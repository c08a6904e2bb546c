package executor

import "os"

// childPipeEnds are both ends of a child's three pipes.
type childPipeEnds struct {
	in, out, err                *os.File    // ours: to it, from it, its stderr
	reader                      *pipeReader // of out
	childIn, childOut, childErr *os.File    // the child's
}

func (p *childPipeEnds) open() (err error) {
	defer func() {
		if err != nil {
			p.closeAll()
		}
	}()
	if p.childIn, p.in, err = os.Pipe(); err != nil {
		return err
	}
	if p.out, p.childOut, err = os.Pipe(); err != nil {
		return err
	}
	if p.out, p.reader, err = newPipeReader(p.out); err != nil {
		return err
	}
	p.err, p.childErr, err = os.Pipe()
	return err
}

// closeChilds closes the ends that the child now has copies of.
func (p *childPipeEnds) closeChilds() {
	closeFiles(p.childIn, p.childOut, p.childErr)
}

func (p *childPipeEnds) closeAll() {
	closeFiles(p.in, p.out, p.err, p.childIn, p.childOut, p.childErr)
}

func closeFiles(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}
