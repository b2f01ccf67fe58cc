# What the steps share: sourced by .ci/run before each step, under bash -euo pipefail, at the project's root.

GOFUMPT=mvdan.cc/gofumpt@v0.12.0
STATICCHECK=honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZ_TIME=${FUZZ_TIME:-3s} # a fuzz target

# Packages in which several goroutines meet: run under the race detector.
RACE_PACKAGES="${RACE_PACKAGES-feed/... ring/... signal risk replay internal/... cmd/...}"

# Packages whose output must not depend on the machine: run as amd64 v3 and as linux/arm64.
SAME_BITS_PACKAGES="${SAME_BITS_PACKAGES-feed feed/wire kernels/... signal risk replay internal/engine}"

# Packages whose arm64 code must hold no fused multiply-add.
UNFUSED_PACKAGES="${UNFUSED_PACKAGES-feed/... kernels/... signal risk replay internal/engine}"

# say writes a line that is seen even if the step succeeds.
say() { printf '    %s\n' "$*" >&3; }

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
  if [ "$status" -ne 0 ]; then
    awk '/^ *--- (FAIL|PASS|SKIP): /{show = /FAIL/} /^(=== RUN|=== CONT|=== PAUSE|ok |PASS)/{show = 0}
      /^(FAIL|panic:|# |WARNING: DATA RACE)|build failed|: fatal error/{show = 1} show' "$log" | head -n 150
    grep -E '^[^ =]*[a-z_]+\.go:[0-9]+' "$log" | head -n 50 || true
  fi
  return "$status"
}
