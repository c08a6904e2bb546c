package grammar

import "fmt"

// OpKind is what an [Op] asks for.
type OpKind uint8

// The kinds. Call, Hang and Throw are things the guest does; the rest the host.
const (
	OpCall    OpKind = iota // the guest makes a host call and waits for it
	OpForget                // the guest makes a host call and lets it go
	OpBurst                 // the guest makes Amount calls at once
	OpCatch                 // the guest makes a call and swallows its refusal
	OpRethrow               // the guest ends with the rejection of call Which
	OpThrow                 // the guest ends with an error of its own
	OpReturn                // the guest ends with a value
	OpSettle                // the host answers call Which
	OpRefuse                // the host answers it with a typed failure
	OpFail                  // the host answers it with a plain error
	OpBad                   // the host answers it with what is no JSON
	OpPanic                 // the host function panics
	OpAgain                 // the host answers a call that has been answered
	OpLate                  // the host answers a call of the run before
	OpPause                 // the host lets the guest run
	OpCancel                // the caller leaves
	OpClose                 // the sandbox is closed
	opKinds
)

var opNames = [opKinds]string{"call", "forget", "burst", "catch", "rethrow", "throw", "return", "settle", "refuse",
	"fail", "bad", "panic", "again", "late", "pause", "cancel", "close"}

// String returns the kind in one word.
func (k OpKind) String() string {
	if k < opKinds {
		return opNames[k]
	}
	return fmt.Sprintf("op(%d)", uint8(k))
}

// Op is one step of a tape of calls, settlements and ends.
type Op struct {
	Kind   OpKind
	Which  int // a call, counted from 0 and taken modulo the calls there are
	Amount int // from 1 to 8
}

// maxOps bounds a tape.
const maxOps = 200

// Ops reads an op tape, two bytes an op, at most 200 ops. An end of the whole
// run (cancel, close) is made rare, since nothing after it is seen.
func Ops(data []byte) []Op {
	t := &tape{data: data}
	var ops []Op
	for !t.ended() && len(ops) < maxOps {
		k, arg := t.next(), int(t.next())
		op := Op{Kind: OpKind(k % byte(opKinds)), Which: arg >> 3, Amount: 1 + arg&7}
		if op.Kind >= OpCancel && k < 128 {
			op.Kind = OpPause
		}
		ops = append(ops, op)
	}
	return ops
}
