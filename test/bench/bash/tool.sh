#!/bin/bash
# The postToolUse hook of a loop in bash, with one call of jq: it adds a line to what the stop hook counts.
set -euo pipefail
shopt -s nullglob
dir=${CURSOR_RALPH_DIR:-/tmp}

loops=("$dir"/bash-loop-*.json)
if [ ${#loops[@]} = 0 ]; then
  IFS= read -r -d '' _ || true # or the editor gets a broken pipe
  echo '{}'
  exit
fi

if { read -r id && read -r tool; } < <(jq -r '.conversation_id // "", .tool_name // ""') &&
  [[ $id =~ ^[A-Za-z0-9_-][A-Za-z0-9._-]*$ && -f $dir/bash-loop-$id.json ]]; then
  printf '%s\n' "$tool" >>"$dir/bash-loop-$id.json.tools"
fi
echo '{}'
