# shellcheck shell=bash
# Sourced, not run. One function: a named step that prints how long it took, or that it failed.
# A step that is a function must return its failures itself (`|| return 1`): inside `||`, set -e does not hold.

step() {
  local name=$1 start=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  "$@" || {
    printf '== %s: FAILED after %d s\n' "$name" $((SECONDS - start))
    exit 1
  }
  printf '== %s: ok, %d s\n' "$name" $((SECONDS - start))
}
