package quickjstest

import "modernc.org/libc"

// Abort calls the abort() that the engine calls when it has lost its way. On
// Linux the process ends by SIGABRT, whatever Go would do about that signal; on
// systems where the C library has none it panics. It never returns.
func Abort() {
	tls := libc.NewTLS()
	defer tls.Close()
	libc.Xabort(tls)
}
