package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/units"
	"github.com/guestjs/guestjs/internal/wire"
)

// prepareRun makes the frame that starts p, and says under which limits. What
// cannot be sent is refused before a child is touched.
func prepareRun(id uint64, p contract.Program, most contract.Limits) ([]byte, contract.Limits, error) {
	if err := p.Limits.Validate(); err != nil {
		return nil, contract.Limits{}, err
	}
	limits := p.Limits.Or(most)
	if !utf8.ValidString(p.Source) {
		return nil, limits, fmt.Errorf("%w: Program.Source is not UTF-8", contract.ErrInvalid)
	}
	for name, text := range p.Globals {
		if !json.Valid(text) {
			return nil, limits, fmt.Errorf("%w: Program.Globals[%q] is not JSON", contract.ErrInvalid, name)
		}
	}
	const label = "QuickJS run payload"
	body, err := wire.EncodeRun(wire.NewRun(p, limits), label)
	if err != nil {
		return nil, limits, err
	}
	frame, err := wire.AppendFrame(nil, wire.Message{Type: wire.TypeRun, Job: id, Body: string(body)}, label)
	return frame, limits, err
}

// processJob is one run on a child. The goroutine of run owns it; mu guards what
// host functions touch.
type processJob struct {
	ctx    context.Context
	slots  *processSlots
	slot   *processSlot
	child  *childProcess
	id     uint64
	p      contract.Program
	limits contract.Limits
	start  time.Time

	stopped chan struct{}      // closed when somebody ends the run
	cause   contract.Interrupt // who; set before stopped is closed

	report, result []byte
	chunks         int
	logs           []string
	logUnits       int
	logCount       int
	told           map[string]int // calls that OnCall has heard of, by name
	toldCount      int64
	callCtx        context.Context // of the host functions; made for the first
	endCalls       context.CancelFunc

	mu        sync.Mutex
	ended     bool // what comes now is dropped
	running   int
	calls     []*processCall
	byNumber  map[uint64]*processCall
	panicking bool
	panicked  any
}

func newProcessJob(ctx context.Context, id uint64, s *processSlots, slot *processSlot, c *childProcess, p contract.Program, limits contract.Limits) *processJob {
	return &processJob{
		ctx: ctx, slots: s, slot: slot, child: c, id: id, p: p, limits: limits, stopped: make(chan struct{}),
	}
}

// run sends the program and answers the child until the run has ended.
func (j *processJob) run(frame []byte) (contract.Outcome, error) {
	returned := false
	defer func() {
		j.finish()
		if !returned { // a listener of the program panicked, and the child goes on
			j.child.retire()
		}
		if j.child.dead() {
			j.slot.forget()
		}
	}()
	j.start = time.Now()
	j.allowCPU()
	defer context.AfterFunc(j.ctx, func() { j.stop(contract.InterruptCanceled) })()
	if wall := j.limits.Wall; wall < contract.Unlimited-wallGrace {
		timer := time.AfterFunc(wall+wallGrace, func() { j.stop(contract.InterruptWall) })
		defer timer.Stop()
	}
	j.child.send(frame)
	out, err := j.drive()
	j.finish()
	returned = true
	if !j.child.dead() && err == nil {
		j.slot.worked()
	}
	if l := j.slots.opts.Logger; l.Enabled(j.ctx, slog.LevelDebug) {
		l.Debug("child answered", "pid", j.child.pid, "chunks", j.chunks, "logs", j.logCount, "calls", len(j.calls))
	}
	if j.panicking {
		panic(j.panicked) // nothing of ours is held: run gives the slot back as it unwinds
	}
	return out, err
}

// stop ends the run from outside: whoever is blocked on the child is let go. The
// first cause wins. A stop that comes when the run is over does nothing: the
// child may be another run's by then.
func (j *processJob) stop(cause contract.Interrupt) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ended || isClosed(j.stopped) {
		return
	}
	j.cause = cause
	close(j.stopped)
	j.child.retire()
}

// drive takes messages until one of them, or somebody, ends the run.
func (j *processJob) drive() (contract.Outcome, error) {
	for {
		m, err := j.child.messages.Next()
		if isClosed(j.slots.closing) { // which ends children before their runs hear of it
			j.stop(contract.InterruptClosed)
		}
		if isClosed(j.stopped) {
			return j.torn()
		}
		var refused *wire.RefusedError
		var done bool
		var out contract.Outcome
		switch {
		case err == nil:
			done, out, err = j.take(m)
		case errors.As(err, &refused):
			done, out, err = j.refuse()
		case errors.Is(err, wire.ErrMalformed), errors.As(err, new(*wire.FrameError)):
			return j.broke(err), nil
		default: // the end, or a pipe that broke
			return j.crashed()
		}
		if done {
			return out, err
		}
	}
}

// take handles one message, and reports whether it ended the run.
func (j *processJob) take(m wire.Message) (bool, contract.Outcome, error) {
	if m.Job != j.id {
		return j.refuse()
	}
	switch m.Type {
	case wire.TypeLog:
		var entry string
		if j.logCount == maxLogs || len(m.Body) > maxLogBody || json.Unmarshal([]byte(m.Body), &entry) != nil {
			return j.refuse()
		}
		j.log(entry)
	case wire.TypeCall:
		var call contract.Call
		if j.p.OnCall == nil || j.toldCount == j.limits.HostCalls || json.Unmarshal([]byte(m.Body), &call) != nil {
			return j.refuse()
		}
		if j.told == nil {
			j.told = map[string]int{}
		}
		j.told[strings.Clone(units.Cut(call.Name, maxUnknown))]++
		j.toldCount++
		j.p.OnCall(call)
	case wire.TypeHostCall:
		if err := j.call(m); err != nil {
			var refused *wire.RefusedError
			if errors.As(err, &refused) {
				return j.refuse()
			}
			return true, j.broke(err), nil
		}
		// The function may be over in no time. It had to wait for another thread while
		// this one waits for the child.
		runtime.Gosched()
	case wire.TypeReport:
		j.report = append(j.report, m.Body...)
	case wire.TypeResultChunk:
		j.chunks++
		j.result = append(j.result, m.Body...)
	case wire.TypeResult:
		if m.Body == "" {
			return j.refuse()
		}
		j.result = append(j.result, m.Body...)
	default:
		return j.refuse()
	}
	if len(j.report)+len(j.result) > wire.MaxResult || j.chunks > wire.MaxChunks {
		return true, j.broke(errResultSize), nil
	}
	if m.Type == wire.TypeResult {
		out, err := j.decode()
		return true, out, err
	}
	return false, contract.Outcome{}, nil
}

// refuse drops a message. Too many of them are a broken child.
func (j *processJob) refuse() (bool, contract.Outcome, error) {
	if j.child.refuse() {
		return true, j.broke(errBabble), nil
	}
	return false, contract.Outcome{}, nil
}

// What an honest child streams at most: 200 entries and two markers, each of
// 8,000 units and a suffix, of up to six bytes as JSON.
const (
	maxLogs    = 202
	maxLogBody = 6*(8000+18) + 2
)

// maxStreamed is how many units of streamed entries are kept for a run that
// gives no result, a separator after each included.
const maxStreamed = 4001

func (j *processJob) log(entry string) {
	j.logCount++
	if left := maxStreamed - j.logUnits; left > 0 {
		units := utf16.Encode([]rune(entry))
		kept := entry
		if len(units) > left {
			kept = string(utf16.Decode(units[:left]))
		}
		j.logs = append(j.logs, kept)
		j.logUnits += min(len(units), left) + 1
	}
	if j.p.OnLog != nil {
		j.p.OnLog(entry)
	}
}

// decode turns what arrived into the outcome.
func (j *processJob) decode() (contract.Outcome, error) {
	report, err := wire.DecodeReport(j.report)
	if err != nil {
		return j.broke(fmt.Errorf("report: %w", err)), nil
	}
	out, err := wire.DecodeResult(j.result, report)
	if err != nil {
		return j.broke(err), nil
	}
	// Not every report has what the whole process used.
	j.child.cpuUsed = max(j.child.cpuUsed+max(0, out.Usage.CPU), report.ProcessCPU)
	if report.Rest.Recycle || out.Interrupt == contract.InterruptWall || out.Interrupt == contract.InterruptFault {
		j.child.retire()
	}
	if report.Rest.Refused != nil {
		return out, refusedByChild(report.Rest.Refused)
	}
	if text := new(wire.TextError); errors.As(out.Err, &text) {
		if report.Rest.Recycle && out.Interrupt == contract.InterruptNone {
			out.Err = &ProcessError{Text: text.Text}
		}
	}
	j.attach(&out, report.Rest.HostCall)
	return out, nil
}

// allowCPU raises what the system lets the child use, when this run may need it.
// The guest's own budget is what ends a run; this ends a process that has lost
// its mind.
func (j *processJob) allowCPU() {
	const spare = 30 * time.Second
	c := j.child
	need := time.Duration(contract.Unlimited)
	if j.limits.CPU < contract.Unlimited/4 {
		need = c.cpuUsed + 2*j.limits.CPU + spare
	}
	if need <= c.cpuLimit {
		return
	}
	if need < contract.Unlimited {
		need += spare
	}
	c.cpuLimit = need
	if err := allowCPU(c.pid, need); err != nil {
		j.slots.opts.Logger.Warn("child's processor limit was not raised", "pid", c.pid, "error", err)
	}
}
