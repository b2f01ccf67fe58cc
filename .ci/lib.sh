# What the steps share: sourced by .ci/run before each step, under bash -euo pipefail, at the project's root.

GOFUMPT=mvdan.cc/gofumpt@v0.12.0
STATICCHECK=honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZ_TIME=${FUZZ_TIME:-3s} # a fuzz target

# Packages in which several goroutines meet: run under the race detector.
RACE_PACKAGES="${RACE_PACKAGES-feed/... ring/... gpu/... signal risk replay internal/... cmd/...}"

# Packages whose output must not depend on the machine: run as amd64 v3 and as linux/arm64.
SAME_BITS_PACKAGES="${SAME_BITS_PACKAGES-feed feed/wire kernels/... signal risk replay internal/engine internal/examples bench/programs}"

# Packages whose arm64 code must hold no fused multiply-add.
UNFUSED_PACKAGES="${UNFUSED_PACKAGES-feed/... kernels/... signal risk replay internal/engine}"

# say writes a line that is seen even if the step succeeds.
say() { printf '    %s\n' "$*" >&3; }

# packages prints the import paths of those of the package patterns that have Go files.
packages() {
  local patterns
  mapfile -t patterns < <(existing "$@")
  [ ${#patterns[@]} -eq 0 ] || go list "${patterns[@]}"
}

# existing prints those of the package patterns that have Go files, as ./patterns.
existing() {
  local pattern folder
  for pattern in "$@"; do
    folder=${pattern%/...}
    if [ "$folder" != "$pattern" ]; then
      find "./$folder" -name '*.go' -print -quit 2>/dev/null | grep -q . && echo "./$pattern"
    else
      compgen -G "./$folder/*.go" >/dev/null && echo "./$pattern"
    fi
  done
  return 0
}

# install_apt PACKAGE installs a Debian package.
install_apt() {
  local sudo=
  [ "$(id -u)" -eq 0 ] || sudo=sudo
  command -v apt-get >/dev/null || { echo "not Debian: install what it calls $1"; return 1; }
  if [ ! -e "$CI_OUT/apt-updated" ]; then
    $sudo apt-get update -qq
    touch "$CI_OUT/apt-updated"
  fi
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "$1"
}

# failures reads the output of `go test -v` and prints what each failed test wrote, and what failed without a test.
failures() {
  awk '
    /^=== (RUN|CONT|NAME|PAUSE) / { test = $3; next }
    /^ *--- (PASS|SKIP|FAIL): / {
      for (i = 1; i <= NF; i++) if ($i ~ /^(PASS|SKIP|FAIL):$/) test = $(i + 1)
      if (/--- FAIL: /) printf "%s%s\n", written[test], $0
      delete written[test]
      next
    }
    /^(ok  |PASS$|\?   )/ { test = ""; next }
    /^(FAIL|panic:|fatal error:|# )/ { test = ""; print; next }
    test == "" { print; next }
    { written[test] = written[test] $0 "\n" }
    END { for (t in written) if (t != "") printf "in %s:\n%s", t, written[t] }
  '
}

# counted STEP COMMAND... runs a `go test -v` command, counts its tests for the last line of .ci/run, and on failure
# prints only what failed.
counted() {
  local step=$1 log="$CI_OUT/$1.tests" status=0
  shift
  "$@" >"$log" 2>&1 || status=$?
  local passed failed
  passed=$(grep -cE '^ *--- PASS: ' "$log" || true)
  failed=$(grep -cE '^ *--- FAIL: ' "$log" || true)
  echo "$passed" >"$CI_OUT/$step.passed"
  echo "$failed" >"$CI_OUT/$step.failed"
  say "$passed passed, $failed failed, $(grep -cE '^ *--- SKIP: ' "$log" || true) skipped"
  [ "$status" -eq 0 ] || failures <"$log" | head -n 180
  return "$status"
}
