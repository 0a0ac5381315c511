#!/usr/bin/env bash
# No committed file names a place of one machine: home folders, scratch folders of a person, absolute build paths.
set -euo pipefail
git rev-parse --git-dir >/dev/null 2>&1 || { echo "skipped: not a git checkout"; exit 77; }

found=$(git grep -nIE '(^|[^a-zA-Z0-9_.])/(work|farm|root|home/[a-z]+|Users/[A-Za-z]+)/' -- . ':!tests/house/words_test.sh' || true)
[[ -z $found ]] || { printf 'paths of one machine:\n%s\n' "$found"; exit 1; }
