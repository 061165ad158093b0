# shellcheck shell=bash
# Sourced, not run. Named steps, and how long each took.
# A step that is a function must return its failures itself (`|| return 1`): inside `||`, set -e does not hold.

# step NAME COMMAND...: runs it and prints how long it took, or that it failed.
step() {
  local name=$1 start=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  "$@" || {
    printf '== %s: FAILED after %d s\n' "$name" $((SECONDS - start))
    exit 1
  }
  printf '== %s: ok, %d s\n' "$name" $((SECONDS - start))
  STEPS+=("$(printf '%5d s  %s' $((SECONDS - start)) "$name")")
}

# slowest: the steps so far, the slowest first.
slowest() { printf '\n' && printf '%s\n' "${STEPS[@]}" | sort -rn; }
STEPS=()
