"use strict";
// The plainest chat input. The editors of lexical.js and prosemirror.js offer the page the same; they have a menu too.
globalThis.chatInput = (host, chat) => {
  const input = host.appendChild(document.createElement("textarea"));
  input.spellcheck = false;
  input.addEventListener("keydown", e => {
    if (!chat.submits(e)) return;
    e.preventDefault();
    if (chat.submit(input.value)) input.value = "";
  });
  return {
    text: () => input.value,
    clear: () => input.value = "",
    focus: () => input.focus(),
    row: () => "",
  };
};
