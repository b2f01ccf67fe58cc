# Every fuzz target for a few seconds. What one finds is a file in the package's testdata/fuzz: commit it.
folder="$CI_OUT/fuzz"
mkdir -p "$folder"
targets=0 failed=0
while IFS=$'\t' read -r package dir; do
  names=$(grep -hoE '^func Fuzz[A-Za-z0-9_]*' "$dir"/*_test.go 2>/dev/null | awk '{print $2}' || true)
  [ -n "$names" ] || continue
  binary="$folder/fuzz.test"
  go test -c -fuzz=Fuzz -o "$binary" "$package"
  for name in $names; do
    log="$folder/log"
    if ! (cd "$dir" && "$binary" -test.run='^$' -test.fuzz="^$name\$" -test.fuzztime="$FUZZ_TIME" \
      -test.fuzzcachedir="$folder/cache" -test.timeout=2m) >"$log" 2>&1; then
      echo "$package $name"
      cat "$log"
      failed=$((failed + 1))
    fi
    targets=$((targets + 1))
  done
done < <(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{"\t"}}{{.Dir}}{{end}}' ./...)
say "$targets targets, $FUZZ_TIME each, $failed failed"
[ "$failed" -eq 0 ]
