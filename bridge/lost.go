package bridge

import (
	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/units"
	"github.com/guestjs/guestjs/quickjs"
)

// rejections are the promises that were rejected and have no handler yet. A
// program that forgets an await loses its error this way; the outcome tells.
type rejections struct {
	open  []rejection
	texts []string // once described
}

type rejection struct {
	promise uintptr
	keep    quickjs.Value // keeps the identity meaningful
	reason  quickjs.Value
}

const (
	maxTracked   = 64
	maxUnhandled = 10
	maxLostText  = 400
)

// rejection follows the engine's tracker (ECMA-262 HostPromiseRejectionTracker).
func (g *guest) rejection(promise, reason quickjs.Value, handled bool) {
	r := g.run
	if r == nil {
		return
	}
	id := promise.Identity()
	if !handled {
		if len(r.lost.open) < maxTracked {
			r.lost.open = append(r.lost.open, rejection{id, promise.Dup(), reason.Dup()})
		}
		return
	}
	for i, x := range r.lost.open {
		if x.promise == id {
			x.keep.Free()
			x.reason.Free()
			r.lost.open = append(r.lost.open[:i], r.lost.open[i+1:]...)
			return
		}
	}
}

// describe puts what is still unhandled into words; except is the reason that
// is reported anyway.
func (l *rejections) describe(r *run, except quickjs.Value) {
	if l.texts != nil {
		return
	}
	for _, x := range l.open {
		if len(l.texts) == maxUnhandled {
			break
		}
		if except.IsValid() && (r.promise.IsValid() && x.promise == r.promise.Identity() || x.reason.SameValue(except)) {
			continue
		}
		e, err := r.describe(x.reason)
		if err != nil { // it was lost all the same
			free(err)
			e = &contract.GuestError{Name: "Error", Message: thrownText}
		}
		l.texts = append(l.texts, units.Cut(e.Error(), maxLostText))
	}
}
