#!/bin/sh
# Runs the commands of a user on a GPU machine and compares what they decide: a live run on the GPU, then its journal on the CPU
# and on the GPU in every dispatch. One line a check; it exits with 1 at any difference or failure. Under a minute.
#   commands.sh BINARY OUTDIR [SECONDS] [RATE]
# SECONDS is the length of the live run (5), RATE its ticks a second (20000). Logs and summaries go to OUTDIR.
set -u
[ $# -ge 2 ] || { sed -n '2,5p' "$0" >&2; exit 2; }
binary=$(realpath "$1")
mkdir -p "$2" && out=$(realpath "$2")
length=${3:-5}
rate=${4:-20000}
journal=$out/journal
failed=0

# field NAME FILE prints a member of a summary: text, number or truth.
field() { sed -n 's/.*"'"$1"'":"\{0,1\}\([^",}]*\).*/\1/p' "$2" | head -n 1; }

fail() {
  echo "FAILED $1"
  sed 's/^/    /' "$out/$2.log" | grep -v 'level=INFO' | tail -n 5
  failed=1
}

# run NAME LIMIT ARGUMENTS... keeps the summary and the log of one command; it must succeed.
run() {
  name=$1 limit=$2
  shift 2
  timeout -k 5 "$limit" "$binary" "$@" --json >"$out/$name.json" 2>"$out/$name.log"
  code=$?
  [ "$code" -eq 0 ] && return 0
  fail "$name: exit $code of: $*" "$name"
  return 1
}

# same NAME EXECUTOR compares a summary's hash and executor with what they must be.
same() {
  if [ "$(field executor "$out/$1.json")" != "$2" ]; then
    fail "$1: ran on $(field executor "$out/$1.json"), not on $2" "$1"
  elif grep -q 'was lost' "$out/$1.log"; then
    fail "$1: a GPU was lost" "$1"
  elif [ "$(field output_hash "$out/$1.json")" != "$hash" ]; then
    fail "$1: hash $(field output_hash "$out/$1.json"), not $hash" "$1"
  else
    echo "same hash  $1: $(field ticks "$out/$1.json") ticks in $(field elapsed_s "$out/$1.json") s"
  fi
}

rm -rf "$journal"
run demo $((length + 20)) demo --for "${length}s" --rate "$rate" --executor gpu --dispatch resident --lanes 2 --journal "$journal" || exit 1
hash=$(field output_hash "$out/demo.json")
[ "$(field signals "$out/demo.json")" -gt 0 ] || fail "demo: no signals" demo
grep 'msg=executor' "$out/demo.log"
same demo gpu
mismatches=$(field mismatches "$out/demo.json")
[ "$mismatches" = 0 ] || fail "demo: $mismatches rows differed from the follower's" demo

run cpu 30 replay "$journal" --executor cpu && same cpu cpu
for lanes in 1 4; do
  for dispatch in stream resident; do
    name=$dispatch-$lanes
    run "$name" 30 replay "$journal" --executor gpu --dispatch "$dispatch" --lanes "$lanes" && same "$name" gpu
  done
done
run followed 30 replay "$journal" --executor gpu --dispatch resident --follow && same followed gpu
run verify 30 verify "$journal" --executor gpu && same verify gpu
run verify-cpu 30 verify "$journal" --executor cpu && same verify-cpu cpu

timeout -k 5 20 "$binary" check >"$out/check.txt" 2>"$out/check.log"
code=$? # 1: something else than the GPU is not ready, such as a server
if [ "$code" -le 1 ]; then
  grep '^gpu' "$out/check.txt"
else
  fail "check" check
fi
[ "$failed" -eq 0 ] && echo "all the same: $hash"
exit "$failed"
