// A ProseMirror editor, by TipTap, as the chat input, as in Cursor's Agents window.
import {Editor, Extension} from "@tiptap/core";
import {Document} from "@tiptap/extension-document";
import {Paragraph} from "@tiptap/extension-paragraph";
import {Text} from "@tiptap/extension-text";
import {UndoRedo} from "@tiptap/extensions";
import {Plugin} from "@tiptap/pm/state";
import {Suggestion} from "@tiptap/suggestion";
import {matching, Menu} from "./menu.js";

const text = editor => editor.getText({blockSeparator: "\n"});

// The menu's rows, and how Enter picks the first of them.
const slashMenu = (editor, menu) => Suggestion({
  editor,
  char: "/",
  items: ({query}) => matching(query),
  command: ({editor, range, props: row}) => editor.chain().focus().insertContentAt(range, row + " ").run(),
  render: () => {
    let command;
    const show = props => { command = props.command; menu.show(props.items) };
    return {
      onStart: show,
      onUpdate: show,
      onExit: () => menu.close(),
      onKeyDown: ({event}) => {
        if (event.key !== "Enter" || !menu.row()) return false;
        command(menu.row());
        return true;
      },
    };
  },
});

const submitting = (editor, chat) => new Plugin({props: {handleKeyDown: (_, e) => {
  if (!chat.submits(e)) return false;
  if (chat.submit(text(editor))) editor.commands.clearContent();
  return true;
}}});

globalThis.chatInput = (host, chat) => {
  const box = host.appendChild(document.createElement("div"));
  const menu = new Menu(host);
  const keys = Extension.create({
    name: "chat",
    priority: 1000, // before the keys of the editor itself
    addProseMirrorPlugins() { return [slashMenu(this.editor, menu), submitting(this.editor, chat)] },
  });
  const editor = new Editor({
    element: box,
    extensions: [Document, Paragraph, Text, UndoRedo, keys],
    editorProps: {attributes: {class: "ui-prompt-input-editor__input"}},
  });
  return {
    text: () => text(editor),
    clear: () => editor.commands.clearContent(),
    focus: () => editor.view.dom.focus(),
    row: () => menu.row(),
  };
};
