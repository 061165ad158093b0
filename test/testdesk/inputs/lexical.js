// A Lexical editor as the chat input, as in Cursor's editor window.
import {
  $createParagraphNode, $getRoot, $getSelection, $isRangeSelection, $isTextNode, COMMAND_PRIORITY_HIGH, createEditor,
  KEY_ENTER_COMMAND,
} from "lexical";
import {createEmptyHistoryState, registerHistory} from "@lexical/history";
import {registerRichText} from "@lexical/rich-text";
import {matching, Menu} from "./menu.js";

const $text = () => $getRoot().getChildren().map(c => c.getTextContent()).join("\n");

const $empty = () => {
  const paragraph = $createParagraphNode();
  $getRoot().clear().append(paragraph);
  paragraph.select();
};

// What was written of a slash command before the caret. As in the typeahead menu of @lexical/react, it is one word.
const $command = () => {
  const selection = $getSelection();
  if (!$isRangeSelection(selection) || !selection.isCollapsed()) return null;
  const {anchor} = selection;
  const node = anchor.getNode();
  if (!$isTextNode(node)) return null;
  return /(?:^|\s)\/(\S*)$/.exec(node.getTextContent().slice(0, anchor.offset));
};

const $pick = row => {
  const typed = $command()[1].length + 1;
  const selection = $getSelection();
  const {anchor} = selection;
  selection.setTextNodeRange(anchor.getNode(), anchor.offset - typed, anchor.getNode(), anchor.offset);
  selection.insertText(row + " ");
};

globalThis.chatInput = (host, chat) => {
  const root = host.appendChild(document.createElement("div"));
  root.className = "aislash-editor-input";
  root.contentEditable = "true";
  const menu = new Menu(host);
  const editor = createEditor({namespace: "chat", onError: e => { throw e }});
  editor.setRootElement(root);
  registerRichText(editor);
  registerHistory(editor, createEmptyHistoryState(), 300);
  editor.update($empty, {discrete: true});

  editor.registerUpdateListener(({editorState}) => editorState.read(() => {
    const command = $command();
    menu.show(command ? matching(command[1]) : []);
  }));
  editor.registerCommand(KEY_ENTER_COMMAND, e => {
    const row = menu.row();
    if (row) $pick(row);
    else if (!chat.submits(e)) return false;
    else if (chat.submit($text())) $empty();
    e.preventDefault();
    return true;
  }, COMMAND_PRIORITY_HIGH);

  return {
    text: () => editor.read($text),
    clear: () => editor.update($empty, {discrete: true}),
    focus: () => root.focus(),
    row: () => menu.row(),
  };
};
