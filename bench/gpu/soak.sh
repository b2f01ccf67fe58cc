#!/bin/sh
# Runs the engine for minutes at a steady rate through a real NATS server, each a process of its own, and prints one table:
# percentiles of every stage, what was lost, collections, pauses, memory. Exit 1 if a tick was dropped, a row differed from the
# follower's, or the journal does not verify.
#   soak.sh BINARY OUTDIR [SECONDS] [RATE] [NATS_SERVER]
# SECONDS is 300, RATE 200000 ticks a second, NATS_SERVER the server's program (else $NATS_SERVER, else nats-server in PATH).
# EXECUTOR=cpu does without a GPU; CODEC=binary PER_MESSAGE=32 change how ticks are sent (json, 1), LANES and SYMBOLS how many
# there are (4, 64), MODE, DISPATCH and FOLLOW how the engine runs. The journal takes some 70 bytes a tick and is removed at the end.
set -u
[ $# -ge 2 ] || { sed -n '2,9p' "$0" >&2; exit 2; }
binary=$(realpath "$1")
mkdir -p "$2" && out=$(realpath "$2")
length=${3:-300}
rate=${4:-200000}
server=${5:-${NATS_SERVER:-nats-server}}
executor=${EXECUTOR:-gpu} codec=${CODEC:-json} per_message=${PER_MESSAGE:-1} symbols=${SYMBOLS:-64}
port=${PORT:-14222}
url=nats://127.0.0.1:$port
verify_ticks=10000000 # of the journal's beginning: what fits in 20 seconds of one core
failed=0
processes=

fail() {
  echo "FAILED $1"
  [ $# -lt 2 ] || sed 's/^/    /' "$out/$2" | tail -n 5
  failed=1
}

# ended PROCESS SECONDS waits so long for the end of a process, then kills it; its exit code is $code.
ended() {
  waited=0
  while kill -0 "$1" 2>/dev/null && [ "$waited" -lt $(($2 * 10)) ]; do
    sleep 0.1
    waited=$((waited + 1))
  done
  kill -9 "$1" 2>/dev/null
  wait "$1" 2>/dev/null
  code=$?
}

# until_said FILE WORDS SECONDS waits for a line of a log.
until_said() {
  waited=0
  while ! grep -q "$2" "$1" 2>/dev/null; do
    [ "$waited" -lt $(($3 * 10)) ] || return 1
    sleep 0.1
    waited=$((waited + 1))
  done
}

# field NAME FILE prints a member of a summary that is a number, text or truth.
field() { sed -n 's/.*"'"$1"'":"\{0,1\}\([^",}]*\).*/\1/p' "$2" 2>/dev/null | head -n 1; }

# stage NAME prints the percentiles of a stage in microseconds.
stage() {
  sed -n 's/.*"latency_ns":.*"'"$1"'":{"count":\([0-9]*\),"p50":\([0-9]*\),"p90":\([0-9]*\),"p99":\([0-9]*\),"p999":\([0-9]*\),"max":\([0-9]*\)}.*/\1 \2 \3 \4 \5 \6/p' "$out/engine.json" |
    awk -v name="$1" '$1 > 0 { printf "| %s | %d | %.1f | %.1f | %.1f | %.1f | %.1f |\n", name, $1, $2 / 1e3, $3 / 1e3, $4 / 1e3, $5 / 1e3, $6 / 1e3 }'
}

trap 'for process in $processes; do kill "$process" 2>/dev/null; done' EXIT
trap 'exit 1' INT TERM

rm -rf "$out/journal" "$out/part" "$out"/*.json "$out"/*.log # an old log must not be taken for this run's
cp "$(dirname "$0")/../programs/six.yaml" "$out/six.yaml"
cat >"$out/engine.yaml" <<END
version: 1
partition: soak
signals_file: six.yaml
feeds: [{name: market, subject: md.v1.>, codec: $codec}]
journal: {dir: journal}
END

"$server" -a 127.0.0.1 -p "$port" >"$out/server.log" 2>&1 &
nats=$!
processes=$nats
until_said "$out/server.log" 'Server is ready' 10 || { fail "the NATS server did not start" server.log; exit 1; }

set -- run -c "$out/engine.yaml" --server "$url" --journal "$out/journal" --executor "$executor" --lanes "${LANES:-4}" --json
[ "$executor" = cpu ] || set -- "$@" --dispatch "${DISPATCH:-resident}" "--follow=${FOLLOW:-on}"
[ -z "${MODE:-}" ] || set -- "$@" --mode "$MODE"
"$binary" "$@" >"$out/engine.json" 2>"$out/engine.log" &
engine=$!
processes="$processes $engine"
until_said "$out/engine.log" 'msg=running' 60 || { fail "the engine did not start" engine.log; exit 1; }
grep 'msg=executor' "$out/engine.log"

binary_codec=false
[ "$codec" = json ] || binary_codec=true
timeout -k 5 $((length + 30)) "$binary" bench child feed "$url" "$rate" "${length}s" "$binary_codec" "$per_message" "$symbols" >"$out/feed.json" 2>"$out/feed.log" &
feed=$!
processes="$processes $feed"
ended "$feed" $((length + 40))
[ "$code" -eq 0 ] || fail "the market: exit $code" feed.log
kill -TERM "$engine"
ended "$engine" 30
[ "$code" -eq 0 ] || fail "the engine: exit $code" engine.log
kill -TERM "$nats"
ended "$nats" 10
processes=
grep -q 'Slow Consumer' "$out/server.log" && fail "the server found the engine too slow" server.log

sent=$(field Ticks "$out/feed.json")
ticks=$(field ticks "$out/engine.json")
dropped=$(field dropped "$out/engine.json")
[ "${dropped:-unknown}" = 0 ] || fail "${dropped:-unknown number of} ticks dropped"
[ "${sent:-none}" = "${ticks:-unknown}" ] || fail "${sent:-no} ticks sent, ${ticks:-none} sequenced"
[ "$(field executor "$out/engine.json")" = "$executor" ] || fail "it ended on another executor than $executor" engine.log
if [ "$executor" = gpu ] && [ "${FOLLOW:-on}" = on ]; then
  [ "$(field mismatches "$out/engine.json")" = 0 ] || fail "$(field mismatches "$out/engine.json") rows differed from the follower's" engine.log
fi

# The beginning of the journal, whole files of it, as far as it can be verified in the time. On the CPU: other code than what ran.
run=$(field journal "$out/engine.json")
mkdir -p "$out/part"
bytes=0
for file in "$run"/*.sgj; do
  [ "$bytes" -eq 0 ] || [ "$bytes" -lt $((verify_ticks * 70)) ] || break
  ln "$file" "$out/part/" 2>/dev/null || cp "$file" "$out/part/"
  bytes=$((bytes + $(wc -c <"$file")))
done
timeout -k 5 60 "$binary" verify "$out/part" --executor cpu --json >"$out/verify.json" 2>"$out/verify.log" || fail "verify: exit $?" verify.log
[ "$(field same "$out/verify.json")" = true ] || fail "the journal does not verify" verify.log
if [ "$(field unended "$out/verify.json")" = false ]; then
  [ "$(field output_hash "$out/verify.json")" = "$(field output_hash "$out/engine.json")" ] || fail "the hash of the journal is not the engine's"
fi
size=$(du -sk "$run" | cut -f 1)
rm -rf "$out/journal" "$out/part"

echo
echo "| stage | ticks | p50 us | p90 us | p99 us | p99.9 us | max us |"
echo "|---|---|---|---|---|---|---|"
for name in decode ring sequence program risk publish total; do stage "$name"; done
echo
mib() { awk -v n="$(field "$1" "$out/engine.json")" 'BEGIN { printf "%.1f MiB", n / 1048576 }'; }
echo "| | |"
echo "|---|---|"
echo "| ran on | $(field executor "$out/engine.json"), $(field mode "$out/engine.json"), $(field lanes "$out/engine.json") lanes |"
echo "| ticks sent, sequenced, dropped | $sent, $ticks, $dropped |"
echo "| messages sent, ticks over 1 ms late | $(field Messages "$out/feed.json"), $(field LateTicks "$out/feed.json") |"
echo "| signals decided, not published | $(field signals "$out/engine.json"), $(field publish_errors "$out/engine.json") |"
echo "| collections, pauses together, longest pause | $(field collections "$out/engine.json"), $(field pause_ns "$out/engine.json") ns, $(field pause_max_ns "$out/engine.json") ns |"
echo "| allocated | $(mib allocated_bytes), $(field allocations "$out/engine.json") objects |"
echo "| resident memory at the end, at most | $(mib resident_bytes), $(mib resident_peak_bytes) |"
echo "| journal | $((size / 1024)) MiB, verified $(field ticks "$out/verify.json") ticks and $(field signals "$out/verify.json") signals on the CPU: same $(field same "$out/verify.json") |"

printf '{"seconds":%s,"rate":%s,"codec":"%s","ticks_per_message":%s,"failed":%s,"feed":%s,"engine":%s,"verify":%s}\n' \
  "$length" "$rate" "$codec" "$per_message" "$failed" "$(cat "$out/feed.json")" "$(cat "$out/engine.json")" "$(cat "$out/verify.json")" >"$out/soak.json"
[ "$failed" -eq 0 ] && echo "nothing dropped, nothing different"
exit "$failed"
