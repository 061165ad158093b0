#!/bin/bash
# The stop hook of a loop in bash, with two calls of jq and one of mv. Hooks of this kind often need more. It does the least
# that keeps a loop going: no lock, no copy on disk, no history, no session limit.
set -euo pipefail
shopt -s nullglob
dir=${CURSOR_RALPH_DIR:-/tmp}

rest() {
  echo '{}'
  exit
}

loops=("$dir"/bash-loop-*.json)
if [ ${#loops[@]} = 0 ]; then
  IFS= read -r -d '' _ || true # or the editor gets a broken pipe
  rest
fi

{ read -r id && read -r status; } < <(jq -r '.conversation_id // "", .status // ""') || rest
state=$dir/bash-loop-$id.json
[[ $id =~ ^[A-Za-z0-9_-][A-Za-z0-9._-]*$ && -f $state ]] || rest
case $status in
  completed) ;;
  aborted) rm -f "$state" "$state.tools" "$state.text"; rest ;;
  *) rest ;;
esac

: >>"$state.tools"
: >>"$state.text"
mapfile -t calls <"$state.tools"
# The new state, or null where the loop is at its end, and the answer. $calls and the like are jq's.
# shellcheck disable=SC2016
mapfile -t out < <(jq -c --argjson calls "${#calls[@]}" --rawfile said "$state.text" '
  .iterations += 1 | .tool_calls += $calls
  | "<promise>\(.completion_promise)</promise>" as $marker
  | ($said | contains($marker)) as $promised
  | if .stop or $promised and .tool_calls > 0 or .iterations >= .max_iterations then null, {}
    else ., {followup_message: (
      "[Ralph loop \(.iterations + 1)/\(.max_iterations)] "
      + (if $promised then "Your promise was refused: no tool was called." else "There was no completion promise." end)
      + "\n\nThe task, word for word:\n\n\(.prompt)\n\n---\n"
      + "When, and only when, everything is done and checked, output exactly\n\($marker)\n")}
    end' "$state")
[ ${#out[@]} = 2 ] || rest

if [ "${out[0]}" = null ]; then
  rm -f "$state" "$state.tools" "$state.text"
else
  printf '%s\n' "${out[0]}" >"$state.new"
  mv "$state.new" "$state"
  : >"$state.tools"
  : >"$state.text"
fi
printf '%s\n' "${out[1]}"
