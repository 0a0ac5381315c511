#!/usr/bin/env bash
# Each source shown in CONTRIBUTING.md under its path is, letter for letter, the one that tests/contributing compiles.
set -euo pipefail
shown=$(mktemp -d)
trap 'rm -rf "$shown"' EXIT

# A line with nothing but a path in backquotes, then a fenced block.
awk -v folder="$shown" '
  /^`[^` ]+`$/ { path = substr($0, 2, length($0) - 2); gsub("/", "%", path); next }
  /^```cpp$/ && path { file = folder "/" path; inside = 1; next }
  /^```$/ { inside = 0 }
  inside { print >file }
  { path = "" }' CONTRIBUTING.md

compared=0
for file in "$shown"/*; do
  path=$(basename "$file" | tr % /)
  diff "$file" "tests/contributing/${path#src/}" || { echo "CONTRIBUTING.md shows another $path than tests/contributing compiles"; exit 1; }
  compared=$((compared + 1))
done
[[ $compared == 6 ]] || { echo "CONTRIBUTING.md shows $compared sources; 6 are compiled"; exit 1; }
