#!/bin/sh
# Builds the baselines and measures this machine's GPU beside them, in one call of under eight minutes.
#   run.sh BINARY OUTDIR [SECONDS] [ENGINE_TESTS]
# BINARY is sigengine; SECONDS the length of a measurement (1); ENGINE_TESTS the compiled tests of internal/engine, run first
# for the parity that the result reports, or what they printed when they ran. Raw output goes to OUTDIR; the result is
# OUTDIR/gpu.json. What fails is reported and the rest goes on.
set -u
[ $# -ge 2 ] || { sed -n '2,6p' "$0" >&2; exit 2; }
binary=$(realpath "$1")
mkdir -p "$2" && out=$(realpath "$2")
length=${3:-1}
tests=${4:+$(realpath "$4")}
here=$(realpath "$(dirname "$0")")
baselines=$out/baselines
mkdir -p "$baselines"
cp "$here"/../baselines/*.py "$baselines"

nvidia-smi >"$out/nvidia-smi.txt" 2>&1 || echo "nvidia-smi: failed, see $out/nvidia-smi.txt"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
building=
for name in floor step program; do
  "$nvcc" -O3 -std=c++17 -arch=sm_90 -fmad=false -o "$baselines/$name" "$here/../baselines/$name.cu" -lcuda >"$out/nvcc-$name.txt" 2>&1 &
  building="$building $!"
done

parity=
if [ -n "$tests" ] && [ ! -x "$tests" ]; then
  cp "$tests" "$out/parity.txt"
  parity="--parity $out/parity.txt"
elif [ -n "$tests" ]; then
  (cd "$here/../../internal/engine" && timeout -k 5 150 "$tests" -test.run '^TestGPUParity' -test.v) >"$out/parity.txt" 2>&1
  echo "parity: exit $?"
  grep -h 'parity ' "$out/parity.txt"
  parity="--parity $out/parity.txt"
fi
for process in $building; do
  wait "$process" || echo "nvcc: exit $?, see $out/nvcc-*.txt"
done

# shellcheck disable=SC2086 # parity is two words or none
timeout -k 10 300 "$binary" bench gpu --baselines "$baselines" -o "$out" --length "${length}s" $parity >"$out/gpu.txt" 2>"$out/gpu.log"
code=$?
cat "$out/gpu.txt"
grep -v 'level=INFO' "$out/gpu.log"
echo "bench gpu: exit $code"
rm -rf "$baselines"
exit "$code"
