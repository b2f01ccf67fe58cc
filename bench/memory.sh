#!/bin/sh
# What the engine needs at the least: `run` on the CPU under GOMEMLIMIT=40MiB, six signals, 64 instruments, a NATS server in a
# process of its own, beside a subscriber that does nothing with the same messages. Prints resident memory and the allocations a
# message of both; exit 1 if the engine was ever above 48 MB (10^6 bytes) or lost a tick.
#   memory.sh BINARY OUTDIR [SECONDS] [RATE] [NATS_SERVER]
# Writes OUTDIR/memory.json. SECONDS is 30, RATE 20000 ticks a second, one JSON message each. JOURNAL=on writes a journal as well.
# How: VmHWM and VmRSS of /proc/PID/status as the process reads them at its end (VmHWM is the most that it ever had); allocations and
# bytes of runtime.MemStats between the start of the subscription and the end, by messages; collections of GODEBUG=gctrace=1.
set -u
[ $# -ge 2 ] || { sed -n '2,9p' "$0" >&2; exit 2; }
binary=$(realpath "$1")
mkdir -p "$2" && out=$(realpath "$2")
length=${3:-30}
rate=${4:-20000}
server=${5:-${NATS_SERVER:-nats-server}}
port=${PORT:-14223}
url=nats://127.0.0.1:$port
failed=0
processes=

# until_said FILE WORDS waits for a line of a log.
until_said() {
  waited=0
  while ! grep -q "$2" "$1" 2>/dev/null; do
    [ "$waited" -lt 200 ] || { echo "nothing says '$2' in $1" >&2; exit 1; }
    sleep 0.1
    waited=$((waited + 1))
  done
}

# field NAME FILE prints a number of a summary.
field() { sed -n 's/.*"'"$1"'":\([0-9.]*\).*/\1/p' "$2" | head -n 1; }

trap 'for process in $processes; do kill "$process" 2>/dev/null; done; rm -f "$out/hold"' EXIT
trap 'exit 1' INT TERM

rm -rf "$out"/journal "$out"/*.json "$out"/*.log # an old log must not be taken for this run's
cp "$(dirname "$0")/programs/six.yaml" "$out/six.yaml"
cat >"$out/engine.yaml" <<END
version: 1
partition: memory
signals_file: six.yaml
feeds: [{name: market, subject: md.v1.>, codec: json, ring: 8192}]
engine: {instruments: 64, gogc: 50}
END
[ "${JOURNAL:-off}" = off ] || printf 'journal: {dir: "%s/journal"}\n' "$out" >>"$out/engine.yaml"

"$server" -a 127.0.0.1 -p "$port" >"$out/server.log" 2>&1 &
processes=$!
until_said "$out/server.log" 'Server is ready'
GOMEMLIMIT=40MiB GODEBUG=gctrace=1 "$binary" run -c "$out/engine.yaml" --server "$url" --executor cpu --json >"$out/engine.json" 2>"$out/engine.log" &
engine=$!
processes="$processes $engine"
mkfifo "$out/hold"
GOMEMLIMIT=40MiB "$binary" bench child receive "$url" 'md.v1.>' <"$out/hold" >"$out/plain.json" 2>"$out/plain.log" &
plain=$!
processes="$processes $plain"
exec 3>"$out/hold"
until_said "$out/engine.log" 'msg=running'
until_said "$out/plain.json" ready
"$binary" bench child feed "$url" "$rate" "${length}s" false 1 64 >"$out/feed.json" || exit 1
sleep 1
kill -TERM "$engine"
exec 3>&-
wait "$engine" || failed=1
wait "$plain" || failed=1
rm -rf "$out/journal"

printf '{"seconds":%s,"rate":%s,"journal":"%s","gomemlimit":"40MiB","feed":%s,"engine":%s,"plain":%s}\n' "$length" "$rate" "${JOURNAL:-off}" \
  "$(cat "$out/feed.json")" "$(cat "$out/engine.json")" "$(tail -n 1 "$out/plain.json")" >"$out/memory.json"

sent=$(field Ticks "$out/feed.json")
ticks=$(field ticks "$out/engine.json")
line() { # NAME FILE MESSAGES
  awk -v name="$1" -v now="$(field resident_bytes "$2")" -v peak="$(field resident_peak_bytes "$2")" -v n="$(field allocations "$2")" \
    -v bytes="$(field allocated_bytes "$2")" -v gc="$(field collections "$2")" -v pause="$(field pause_ns "$2")" -v messages="$3" \
    'BEGIN { printf "| %s | %.1f | %.1f | %.4f | %.1f | %d | %.0f |\n", name, now / 1e6, peak / 1e6, n / messages, bytes / messages, gc, pause / 1e3 }'
}
echo "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(uname -sr), $("$binary" version | head -n 1)"
echo "$ticks of $sent ticks, $rate a second, journal ${JOURNAL:-off}, $(grep -c '^gc ' "$out/engine.log") collections by gctrace with those of the start"
echo "| process | resident MB at the end | at most | allocations a message | bytes a message | collections | pauses, us |"
echo "|---|---|---|---|---|---|---|"
line "sigengine run" "$out/engine.json" "$ticks"
line "a subscriber that does nothing" "$out/plain.json" "$(field messages "$out/plain.json")"
[ "$sent" = "$ticks" ] && [ "$(field dropped "$out/engine.json")" = 0 ] || { echo "FAILED ticks were lost"; failed=1; }
[ "$(field resident_peak_bytes "$out/engine.json")" -lt 48000000 ] || { echo "FAILED above 48 MB"; failed=1; }
exit "$failed"
