# The same bits when the compiler may use newer instructions.
if [ "$(uname -m)" != x86_64 ] || ! grep -qw avx2 /proc/cpuinfo || ! grep -qw bmi2 /proc/cpuinfo || ! grep -qw fma /proc/cpuinfo; then
  say "skipped: this processor is not amd64 v3"
  exit 0
fi
# shellcheck disable=SC2046,SC2086
counted amd64v3 env GOAMD64=v3 go test -v -timeout 8m $(existing $SAME_BITS_PACKAGES)
