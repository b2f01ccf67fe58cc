# The race detector, where goroutines meet. Shortened: it makes code about ten times slower. The tidy
# tests read source only.
# shellcheck disable=SC2046,SC2086
counted race env CGO_ENABLED=1 go test -race -short -v -timeout 8m $(packages $RACE_PACKAGES | grep -v /internal/tidy)
