#include "textflag.h"

// func copyRun(to, from unsafe.Pointer, n uintptr)
TEXT ·copyRun(SB), NOSPLIT, $0-24
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ n+16(FP), CX
	REP; MOVSB
	RET
