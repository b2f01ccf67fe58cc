#!/usr/bin/env bash
# Compiles the kernels to PTX. It needs Debian's clang-19 and no CUDA toolkit: kernels/cuda/compile.sh [DIR [FLAG...]]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
out=${1:-ptx}
shift $(($# > 0))
mkdir -p "$out"
for name in windows lane batch; do
  clang++-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 --cuda-feature=+ptx84 -nocudainc -nocudalib \
    -std=c++20 -O3 -ffp-contract=off "$@" -S "$name.cu" -o "$out/$name.ptx"
done
