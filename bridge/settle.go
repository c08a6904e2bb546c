package bridge

import (
	"errors"
	"fmt"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/quickjs"
)

// settle gives a call's reply, or its refusal, to the guest.
func (r *run) settle(c *call) error {
	v, err := r.replyValue(c)
	return r.settleWith(c, v, err)
}

// refusal is why a call has no value for the guest.
type refusal struct{ error }

// replyValue turns what a host function returned into a guest value. The error
// is a *refusal when the call is to be refused.
func (r *run) replyValue(c *call) (v quickjs.Value, err error) {
	if c.err != nil {
		return v, &refusal{c.err}
	}
	if n := len(c.reply) + replyWrapper; n > maxTransport {
		return v, &refusal{fmt.Errorf("Host result from %s exceeds the %d-byte serialized bridge limit.", label(c), maxTransport)} //lint:ignore ST1005 the text is SPEC's
	}
	if c.reply == nil {
		return r.guest.qc.Undefined(), nil
	}
	v, err = r.guest.qc.ParseJSON(c.reply)
	if thrown, ok := errors.AsType[*quickjs.Exception](err); ok {
		thrown.Free()
		return v, &refusal{&contract.ReplyError{Reason: errNotJSON}}
	}
	return v, err
}

var errNotJSON = errors.New("the host function returned text that is not JSON")

func (r *run) settleWith(c *call, v quickjs.Value, err error) error {
	if no, ok := errors.AsType[*refusal](err); ok {
		return r.refuse(c, no.error)
	} else if err != nil {
		return err
	}
	r.endCall(c, contract.CallCompleted)
	err = c.deferred.Resolve(v)
	v.Free()
	r.calls.release(c)
	return ignoreThrown(err)
}

// ignoreThrown drops an exception of a promise resolution: resolving functions
// catch what the guest's own getters throw.
func ignoreThrown(err error) error {
	if thrown, ok := errors.AsType[*quickjs.Exception](err); ok {
		thrown.Free()
		return nil
	}
	return err
}
