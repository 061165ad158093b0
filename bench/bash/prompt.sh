#!/bin/bash
# The beforeSubmitPrompt hook of a loop in bash: `/ralph-loop TASK` begins one. Other messages need no jq.
set -euo pipefail
dir=${CURSOR_RALPH_DIR:-/tmp}

IFS= read -r -d '' input || true
if [[ $input == *'"/ralph-loop '* ]] &&
  { read -r id && { IFS= read -r -d '' prompt || true; }; } < <(jq -r '.conversation_id // "", .prompt // ""' <<<"$input") &&
  [[ $id =~ ^[A-Za-z0-9_-][A-Za-z0-9._-]*$ && $prompt == "/ralph-loop "* ]]; then
  state=$dir/bash-loop-$id.json
  task=${prompt#/ralph-loop }
  # $task is jq's.
  # shellcheck disable=SC2016
  jq -n --arg task "${task%$'\n'}" '{prompt: $task, max_iterations: 20, completion_promise: "COMPLETE",
    iterations: 0, stop: false}' >"$state.new"
  mv "$state.new" "$state"
fi
echo '{}'
