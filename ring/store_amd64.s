//go:build amd64 && !race

#include "textflag.h"

// func storeRelease(cursor *atomic.Uint64, value uint64)
TEXT ·storeRelease(SB), NOSPLIT, $0-16
	MOVQ cursor+0(FP), AX
	MOVQ value+8(FP), BX
	MOVQ BX, (AX)
	RET

// func pause(count uint32)
TEXT ·pause(SB), NOSPLIT, $0-4
	MOVL count+0(FP), AX
again:
	TESTL AX, AX
	JEQ done
	PAUSE
	DECL AX
	JMP again
done:
	RET
