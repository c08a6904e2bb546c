// Package wire is the language that a parent and its child process speak
// (SPEC section 13).
//
// A frame is a length of four bytes, most significant first, and that many
// bytes of JSON: one object with a type, the number of the job and, for host
// calls, of the call, and a body, payloadJson, which is text that is itself
// JSON or a piece of JSON. A frame holds at most [MaxMessage] bytes; the length
// is checked before anything is allocated.
//
// Reading has two kinds of bad news. A [*FrameError] or [ErrMalformed] means
// the other side is broken and nothing more it says can be understood. A
// [*RefusedError] means one message made no sense; it is dropped before any of
// its fields is used, and the next one is read.
//
// To the messages of SPEC section 13 this package adds three, which a reader
// that does not know them drops: hello, which a child sends before it loads the
// engine; call, one ended host call; and report, pieces of what the result text
// has no room for.
//
// Nothing here keeps state or starts a goroutine. A [Reader] belongs to one
// goroutine.
package wire
