# The same bits on another processor, emulated. Shortened: emulation is slow.
emulator=()
[ "$(uname -m)" = aarch64 ] || emulator=(-exec qemu-aarch64)
# shellcheck disable=SC2046,SC2086
counted arm64 env GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go test "${emulator[@]}" -short -v -timeout 8m $(existing $SAME_BITS_PACKAGES)
