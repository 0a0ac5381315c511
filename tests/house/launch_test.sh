#!/usr/bin/env bash
# launch/lastro finds the program in the build tree and in an installed tree, and is a rank under a launcher alone.
set -euo pipefail
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
unset OMPI_COMM_WORLD_RANK PMIX_RANK SLURM_PROCID LASTRO_BIN

# a checkout with two programs that say who they are and what they were asked
programs() {
  mkdir -p "$1"
  for name in lastro lastro-rank; do printf '#!/bin/sh\necho %s "$@"\n' "$name" >"$1/$name" && chmod +x "$1/$name"; done
}
expect() {
  local wanted=$1 got
  shift
  got=$("$@" 2>&1) || true
  [[ $got == "$wanted"* ]] || { printf 'wanted: %s\ngot:    %s\n' "$wanted" "$got"; exit 1; }
}
mkdir -p "$tree/checkout/launch" && cp launch/lastro "$tree/checkout/launch/"
program=$tree/checkout/launch/lastro

expect "lastro: not built" "$program" plan
programs "$tree/checkout/build/release/bin"
expect "lastro run a b" "$program" run "a b"
expect "lastro-rank run m" env OMPI_COMM_WORLD_RANK=0 "$program" run m
expect "lastro-rank run m" env PMIX_RANK=0 "$program" run m
expect "lastro run m" env SLURM_PROCID=0 "$program" run m
ln -s "$program" "$tree/link"
expect "lastro plan" "$tree/link" plan

mkdir -p "$tree/prefix/share/lastro" && cp -r launch "$tree/prefix/share/lastro/"
programs "$tree/prefix/bin"
expect "lastro plan" "$tree/prefix/share/lastro/launch/lastro" plan
