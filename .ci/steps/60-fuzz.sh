# Every fuzz target for a few seconds. What one finds is a file in the package's testdata/fuzz: commit it.
folder="$CI_OUT/fuzz"
log="$folder/log"
mkdir -p "$folder"

# fuzz DIR TARGET runs one target of the built binary.
fuzz() {
  (cd "$1" && "$folder/fuzz.test" -test.run='^$' -test.fuzz="^$2\$" -test.fuzztime="$FUZZ_TIME" \
    -test.fuzzminimizetime=10x -test.fuzzcachedir="$folder/cache" -test.timeout=2m) >"$log" 2>&1
}

# late says that the run failed only because its time ended while a worker was starting: go.dev/issue/75804.
late() { grep -q 'context deadline exceeded' "$log" && ! grep -q 'Failing input' "$log"; }

targets=0 failed=0
while IFS=$'\t' read -r package dir; do
  names=$(grep -hoE '^func Fuzz[A-Za-z0-9_]*' "$dir"/*_test.go 2>/dev/null | awk '{print $2}' || true)
  [ -n "$names" ] || continue
  go test -c -fuzz=Fuzz -o "$folder/fuzz.test" "$package"
  for name in $names; do
    targets=$((targets + 1))
    fuzz "$dir" "$name" || { late && fuzz "$dir" "$name"; } || {
      echo "$package $name"
      cat "$log"
      failed=$((failed + 1))
    }
  done
done < <(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{"\t"}}{{.Dir}}{{end}}' ./...)
say "$targets targets, $FUZZ_TIME each, $failed failed"
[ "$failed" -eq 0 ]
