# No fused multiply-add in our arm64 code: Go may fuse x*y + z there, which changes the last bit. The cure is float64(x*y) + z.
# The compiled packages are disassembled whole, reached from main or not.

# fused PATTERN... prints the fused instructions of packages; run in their module.
fused() {
  local package archive
  GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go list -export -f '{{if .Export}}{{.ImportPath}} {{.Export}}{{end}}' "$@" |
    while read -r package archive; do
      go tool objdump "$archive" >"$CI_OUT/disassembly"
      grep -q . "$CI_OUT/disassembly" || continue
      grep -E '[[:space:]]V?FN?M(ADD|SUB|LA|LS)[DSH]?[[:space:]]' "$CI_OUT/disassembly" | sed "s|^|$package: |" || true
    done
}

# The check itself: it must find one in a package that has one, and none in its cure.
probe="$CI_OUT/probe"
mkdir -p "$probe/fused" "$probe/unfused"
printf 'module probe\n\ngo 1.26\n' >"$probe/go.mod"
printf 'package fused\n\nfunc F(x, y, z float64) float64 { return x*y + z }\n' >"$probe/fused/f.go"
printf 'package unfused\n\nfunc F(x, y, z float64) float64 { return float64(x*y) + z }\n' >"$probe/unfused/f.go"
[ -n "$(cd "$probe" && fused ./fused)" ] || { echo "this check finds nothing even where there is something"; exit 1; }
[ -z "$(cd "$probe" && fused ./unfused)" ] || { echo "this check finds what is not there"; exit 1; }

# shellcheck disable=SC2046,SC2086
found=$(fused $(existing $UNFUSED_PACKAGES))
[ -z "$found" ] || { echo "fused multiply-add; write float64(x*y) + z:"; echo "$found"; exit 1; }
