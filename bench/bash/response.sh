#!/bin/bash
# The afterAgentResponse hook of a loop in bash, with one call of jq: it keeps the text for the stop hook.
set -euo pipefail
shopt -s nullglob
dir=${CURSOR_RALPH_DIR:-/tmp}

loops=("$dir"/bash-loop-*.json)
if [ ${#loops[@]} = 0 ]; then
  IFS= read -r -d '' _ || true # or the editor gets a broken pipe
  echo '{}'
  exit
fi

text=
if { read -r id && { IFS= read -r -d '' text || true; }; } < <(jq -r '.conversation_id // "", .text // ""') &&
  [[ $id =~ ^[A-Za-z0-9_-][A-Za-z0-9._-]*$ && -f $dir/bash-loop-$id.json ]]; then
  printf '%s' "$text" >>"$dir/bash-loop-$id.json.text"
fi
echo '{}'
