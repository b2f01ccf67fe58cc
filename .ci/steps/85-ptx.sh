# The committed PTX is what the kernels compile to; compiled by Debian's clang-19, with no CUDA toolkit.
folder="$CI_OUT/ptx"
kernels/cuda/compile.sh "$folder"
for file in kernels/cuda/ptx/*.ptx; do
  cmp "$file" "$folder/$(basename "$file")" || { echo "run kernels/cuda/compile.sh and commit"; exit 1; }
done
say "$(ls "$folder" | wc -l) modules compiled again and equal"
