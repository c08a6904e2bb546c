package bridge

import (
	"encoding/json"

	"github.com/guestjs/guestjs/quickjs"
)

// maxBatch bounds, in bytes, what arguments of immediate calls wait outside the
// guest's memory, and after how much of replies a batch of them ends. Without
// it a program could queue gigabytes in the host.
const maxBatch = 4 * maxTransport

// immediateQueue holds calls of functions that are declared to finish at once,
// to be run when the guest has nothing else to do. The arguments of those at its front are at
// hand; of the others they stay in the guest's memory, where they count.
type immediateQueue struct {
	list   []*call
	held   int // how many, at the end of the list
	loaded int // bytes of arguments at hand
}

func (q *immediateQueue) add(qc *quickjs.Context, c *call, args json.RawMessage) (err error) {
	if q.held > 0 || q.loaded+len(args) > maxBatch {
		if c.held, err = qc.String(string(args)); err != nil {
			return err
		}
		q.held++
	} else {
		c.args = args
		q.loaded += len(args)
	}
	q.list = append(q.list, c)
	return nil
}

// load makes room for the arguments of the next calls, when one with n bytes
// has been settled.
func (q *immediateQueue) load(n int) {
	q.loaded -= n
	for q.held > 0 {
		c := q.list[len(q.list)-q.held]
		// The text in bytes is at most three times as long.
		if q.loaded > 0 && q.loaded+3*c.held.Len() > maxBatch {
			return
		}
		c.unhold()
		q.held--
		q.loaded += len(c.args)
	}
}

// runImmediate runs queued calls, inside the door but with no engine code on
// the stack, and reports whether there were any. It stops early when the run has
// to end, or when the replies should be settled first.
func (cs *calls) runImmediate(r *run) (bool, error) {
	q := &cs.immediate
	ready := q.list[:len(q.list)-q.held]
	if len(ready) == 0 {
		return false, nil
	}
	host, ran, size := r.hostContext(), 0, 0
	for _, c := range ready {
		// A function that takes its time is not the guest's fault, but those
		// that follow must not start after the deadline.
		if size > maxBatch || r.guest.rt.Revoked() {
			break
		}
		c.invoke(host)
		cs.ended = append(cs.ended, c)
		ran++
		if size += len(c.reply); c.exploded {
			break
		}
	}
	clear(ready[:ran])
	if q.list = q.list[ran:]; len(q.list) == 0 {
		q.list = ready[:0:cap(ready)]
	}
	return ran > 0, nil
}
