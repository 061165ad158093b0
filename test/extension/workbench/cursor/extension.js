'use strict';
// Stands for Cursor in tests: its private commands, vscode.cursor.plugins for our extension, and chats with real inputs. What is
// submitted goes to the simulated Cursor, which runs the hooks of the registered plugins. test.cursor.play makes a command
// missing, throw, hang, lie, answer late, or wait for the test.
const vscode = require('vscode');
const { simulated } = require('./agent');
const { Chat } = require('./chat');
const { offer } = require('./plugins');

const paste = 'editor.action.clipboardPasteAction';
const late = 2500; // longer than anybody waits for a command

exports.activate = (context) => {
  const ours = vscode.extensions.getExtension('cursor-ralph.cursor-ralph').extensionPath;
  const folders = (vscode.workspace.workspaceFolders ?? []).map((f) => f.uri.fsPath);
  const agent = simulated(process.env.WORKBENCH_CURSOR, folders);
  context.subscriptions.push(agent);
  const plugins = [];
  offer({
    plugins: {
      registerPath: (folder) => agent.ask('register', { folder }).then(() => plugins.push(folder)),
      unregisterPath: (folder) => agent.ask('unregister', { folder }).then(() => plugins.splice(plugins.indexOf(folder), 1)),
    },
  }, ours);

  let chats = ['chat-1', 'chat-2', 'chat-3'];
  const submitted = [];
  const ends = []; // what became of the messages
  const submit = ({ text, pasted }) => {
    submitted.push({ chat: chats[0], text });
    return agent.ask('submit', { chat: chats[0], text, plain: pasted }).then(() => ends.push('idle'), (error) => ends.push(String(error)));
  };
  const editorChat = new Chat(context, 'composer.chat', 'lexical', submit);
  const agentsChat = new Chat(context, 'composer.agents', 'prosemirror', submit);
  let chat = editorChat; // the window's
  const bring = (id) => {
    chats = [id, ...chats.filter((c) => c !== id)];
    return chat.title(`Chat ${id}`);
  };
  bring(chats[0]);

  const commands = {
    'composer.getOrderedSelectedComposerIds': () => chats,
    'composer.openComposer': async (id) => {
      await chat.show();
      if (chats.includes(id)) await bring(id);
    },
    'composer.focusComposer': () => (chat === editorChat ? chat.focus() : undefined),
    // VS Code's own: it goes to whatever has the focus. Ours stands before it only while a test plays it.
    [paste]: async () => {
      registered.get(paste).dispose();
      await vscode.commands.executeCommand(paste);
      register(paste);
    },
    // It resolves only when the turns of the message have ended.
    'composer.createNew': async (o) => {
      await bring(`chat-${chats.length + 1}`);
      if (o.autoSubmit) return submit({ text: o.partialState.text, pasted: true });
      await chat.focus();
      await chat.paste(o.partialState.text);
    },
    'glass.focusInput': () => agentsChat.focus(),
    'glass.osEditPaste': async () => {
      if (agentsChat.hasFocus) await agentsChat.paste(await vscode.env.clipboard.readText());
    },
  };

  const played = new Map();
  let go; // lets the command that is held do its work
  const hold = () => new Promise((resolve) => (go = resolve)).then(() => (go = undefined));
  let lateAnswers = 0;
  const plays = {
    throws: () => { throw new Error('the stand-in throws'); },
    hangs: () => new Promise(() => undefined),
    lies: () => undefined, // nothing happens
    late: async (work) => { await new Promise((resolve) => setTimeout(resolve, late)); await work(); lateAnswers++; },
    held: async (work) => { await hold(); return work(); },
    'held at its end': async (work) => { await work(); await hold(); },
  };
  const registered = new Map();
  const register = (id) => registered.set(id, vscode.commands.registerCommand(id, (...args) => {
    const work = () => commands[id](...args);
    return played.has(id) ? plays[played.get(id)](work) : work();
  }));
  const play = (id, how) => {
    registered.get(id)?.dispose();
    registered.delete(id);
    played.delete(id);
    if (how === 'missing' || (id === paste && !how)) return;
    if (how) played.set(id, how);
    register(id);
  };
  const glass = ['glass.focusInput', 'glass.osEditPaste'];
  for (const id of Object.keys(commands)) if (!glass.includes(id) && id !== paste) register(id);

  const forTests = {
    play,
    go: () => go(),
    lateAnswers: () => lateAnswers,
    isHeld: () => go !== undefined,
    // The Agents window has glass commands, and composer.focusComposer does nothing there.
    agents: (is) => {
      chat = is ? agentsChat : editorChat;
      for (const id of glass) play(id, is ? null : 'missing');
      return chat.title(`Chat ${chats[0]}`);
    },
    chats: (list) => ((chats = list), bring(list[0])),
    agent: (turn) => ((submitted.length = 0), agent.ask('promise', { turn })),
    release: (id) => agent.ask('release', { chat: id }),
    clear: () => chat.clear(),
    seen: async () => ({ submitted, ends, plugins, chats, keys: chat.keys, ...(await agent.ask('report')) }),
  };
  for (const [name, f] of Object.entries(forTests)) context.subscriptions.push(vscode.commands.registerCommand(`test.cursor.${name}`, f));
};
