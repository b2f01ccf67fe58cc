# The race detector, where goroutines meet. Shortened: it makes code about ten times slower.
# shellcheck disable=SC2046,SC2086
counted race env CGO_ENABLED=1 go test -race -short -v -timeout 8m $(existing $RACE_PACKAGES)
