#!/usr/bin/env bash
# src/README.md has a paragraph on every room, and names no room that is not there.
set -euo pipefail

named=$(grep -oE '^\*\*[a-z/]+\*\*' src/README.md | tr -d '*')
for room in $(cd src && ls -d */ | tr -d /) kernels; do
  [[ $room == infra ]] && room=infra/x
  grep -qx "$room" <<<"$named" || { echo "src/README.md has no paragraph that begins with **$room**"; exit 1; }
done
for room in $named; do
  [[ $room == infra/x || -d src/$room || -d $room ]] || { echo "src/README.md describes $room, which is not there"; exit 1; }
done
for adapter in $(ls src/infra); do
  sed -n '/^\*\*infra\/x\*\*/,/^$/p' src/README.md | grep -q "\`$adapter\`" || { echo "src/README.md says nothing of infra/$adapter"; exit 1; }
done
