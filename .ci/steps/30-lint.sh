# Format, static checks, and a go.mod that says what is used.
unformatted=$(gofumpt -l .)
[ -z "$unformatted" ] || { echo "gofumpt would change:"; echo "$unformatted"; exit 1; }
staticcheck ./...
go mod tidy -diff
