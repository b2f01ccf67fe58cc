//go:build amd64

#include "textflag.h"

// func putAVX(to, from *Quarter, n int)
// n aligned 16-byte stores in order; each is indivisible on processors with AVX.
TEXT ·putAVX(SB), NOSPLIT, $0-24
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ n+16(FP), CX

four:
	CMPQ    CX, $4
	JLT     one
	VMOVDQU 0(SI), X0
	VMOVDQU 16(SI), X1
	VMOVDQU 32(SI), X2
	VMOVDQU 48(SI), X3
	VMOVDQA X0, 0(DI)
	VMOVDQA X1, 16(DI)
	VMOVDQA X2, 32(DI)
	VMOVDQA X3, 48(DI)
	ADDQ    $64, SI
	ADDQ    $64, DI
	SUBQ    $4, CX
	JMP     four

one:
	TESTQ   CX, CX
	JLE     done
	VMOVDQU 0(SI), X0
	VMOVDQA X0, 0(DI)
	ADDQ    $16, SI
	ADDQ    $16, DI
	DECQ    CX
	JMP     one

done:
	RET

// func putApartAVX(to *Quarter, strideBytes uint64, from *Halves, n int)
// n aligned 16-byte stores in order, strideBytes apart. The halves are loaded one by one: they were stored so a moment ago.
TEXT ·putApartAVX(SB), NOSPLIT, $0-32
	MOVQ to+0(FP), DI
	MOVQ strideBytes+8(FP), DX
	MOVQ from+16(FP), SI
	MOVQ n+24(FP), CX

next:
	VMOVQ   0(SI), X0
	VMOVHPS 8(SI), X0, X0
	VMOVDQA X0, 0(DI)
	ADDQ    $16, SI
	ADDQ    DX, DI
	DECQ    CX
	JGT     next
	RET
