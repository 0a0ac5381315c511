#!/usr/bin/env bash
# No two headers name a class alike: all rooms share a namespace, and two classes of one name break each other at link time without a word.
set -euo pipefail

# twice ROOT: the names that headers below it define more than once.
twice() { grep -rhoE --include='*.h' '^(class|struct|enum class|enum) \w+( final)?( : [^;]*)? \{' "$1" | sed -E 's/^(enum class|class|struct|enum) (\w+).*/\2/' | sort | uniq -d; }

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
printf 'class Reader;\nclass Reader final : public Source {\n};\n' >"$tree/a.h"
printf 'struct Reader {\n};\nstruct Writer {\n};\n' >"$tree/b.h"
[[ $(twice "$tree") == Reader ]] || { echo "the planted class of one name was not found"; exit 1; }

found=$(twice src; twice kernels)
[[ -z $found ]] || { echo "named twice: $found"; exit 1; }
