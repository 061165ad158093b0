'use strict';
// Stands for Cursor in tests: its private commands, and a chat whose input is a real Lexical editor. A message that is
// submitted runs the prompt hook, as Cursor does. test.cursor.play makes a command missing, throw, hang or lie.
const vscode = require('vscode');
const { execFile } = require('child_process');
const path = require('path');

exports.activate = (context) => {
  let view;
  let opened;
  let visible = new Promise((resolve) => (opened = resolve));
  let inputHasFocus = false;
  let chats = ['chat-1', 'chat-2', 'chat-3'];
  const submitted = [];
  const played = {};

  let turns = 0;
  let promises = 0; // the scripted agent promises in this turn; 0: no agent
  let release = () => undefined;
  let released; // the agent works on a message of the user until the test releases it

  const run = (file, args, input, env) => new Promise((resolve) => {
    const child = execFile(file, args, { env: { ...process.env, ...env }, cwd: root() }, (_, stdout) => resolve(stdout));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
  const root = () => vscode.workspace.workspaceFolders[0].uri.fsPath;
  const hook = async (chat, name, more, ...flags) => {
    const event = { hook_event_name: name, conversation_id: chat, generation_id: `g${turns}`, cursor_version: '3.15.0', workspace_roots: [root()], ...more };
    return JSON.parse((await run(process.env.WORKBENCH_HOOK, flags, JSON.stringify(event))) || '{}');
  };

  const submit = (text) => {
    submitted.push({ chat: chats[0], text });
    released = new Promise((resolve) => (release = resolve));
    return turn(chats[0], text, 0);
  };

  // turn is one run of the agent. Cursor lets a stop hook answer five times in a row.
  const turn = async (chat, text, count) => {
    turns++;
    await hook(chat, 'beforeSubmitPrompt', { prompt: text, attachments: [] });
    if (promises === 0) return;
    const command = /^\/ralph-loop (.*)$/s.exec(text);
    if (command) await run(process.env.WORKBENCH_HOOK.replace(/-hook$/, ''), ['slash', 'ralph-loop'], command[1], { CURSOR_AGENT: '1', CURSOR_CONVERSATION_ID: chat });
    if (count === 0) await released;
    await hook(chat, 'postToolUse', { tool_name: 'edit_file', tool_input: {}, tool_output: '', tool_use_id: `t${turns}` });
    await hook(chat, 'afterAgentResponse', { text: turns >= promises ? 'All is done. <promise>COMPLETE</promise>' : `Step ${turns} is done.` });
    const answer = count < 5 ? await hook(chat, 'stop', { status: 'completed', loop_count: count }, '--session-limit', '5') : {};
    if (answer.followup_message) await turn(chat, answer.followup_message, count + 1);
  };

  const html = (webview) => {
    const script = webview.asWebviewUri(vscode.Uri.file(path.join(process.env.WORKBENCH_INPUTS, 'lexical.js')));
    return `<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-x' ${webview.cspSource}; style-src 'unsafe-inline'">
<style>body { padding: 8px } .aislash-editor-input { border: 1px solid var(--vscode-input-border, #888); min-height: 40px; padding: 6px } p { margin: 0 }</style></head>
<body><div id="title"></div><div id="host"></div><script nonce="x" src="${script}"></script><script nonce="x">
const code = acquireVsCodeApi();
const input = chatInput(document.getElementById('host'), { submits: (e) => !e.shiftKey, submit: (text) => (text.trim() && code.postMessage({ type: 'submit', text: text.trim() }), true) });
const root = document.querySelector('.aislash-editor-input');
root.id = 'input';
const focus = () => code.postMessage({ type: 'focus', has: document.hasFocus() && document.activeElement === root });
root.addEventListener('focus', focus); root.addEventListener('blur', focus); addEventListener('blur', focus);
addEventListener('message', (e) => {
  if (e.data.type === 'title') document.getElementById('title').textContent = e.data.text;
  if (e.data.type === 'focus') input.focus();
  if (e.data.type === 'paste') document.execCommand('insertText', false, e.data.text);
});
code.postMessage({ type: 'ready' });
</script></body></html>`;
  };

  context.subscriptions.push(vscode.window.registerWebviewViewProvider('composer.chat', {
    resolveWebviewView(v) {
      view = v;
      v.webview.options = { enableScripts: true, localResourceRoots: [vscode.Uri.file(process.env.WORKBENCH_INPUTS)] };
      v.webview.onDidReceiveMessage((m) => {
        if (m.type === 'ready') { opened(); title(); }
        if (m.type === 'focus') inputHasFocus = m.has;
        if (m.type === 'submit') submit(m.text);
      });
      v.webview.html = html(v.webview);
    },
  }, { webviewOptions: { retainContextWhenHidden: true } }));

  const title = () => view?.webview.postMessage({ type: 'title', text: `Chat ${chats[0]}` });
  const show = async () => { await vscode.commands.executeCommand('composer.chat.focus'); await visible; };

  const commands = {
    'composer.getOrderedSelectedComposerIds': () => chats,
    'composer.openComposer': async (id) => {
      if (chats.includes(id)) chats = [id, ...chats.filter((c) => c !== id)];
      await show();
      title();
    },
    'composer.focusComposer': async () => {
      await show();
      view.show(false);
      await view.webview.postMessage({ type: 'focus' });
      for (let i = 0; i < 100 && !inputHasFocus; i++) await new Promise((resolve) => setTimeout(resolve, 10));
    },
    // A paste goes to whatever has the focus: without the chat's input, the worst, the source file.
    'editor.action.clipboardPasteAction': async () => {
      const text = await vscode.env.clipboard.readText();
      if (inputHasFocus) return view.webview.postMessage({ type: 'paste', text });
      return vscode.window.activeTextEditor?.edit((edit) => edit.insert(vscode.window.activeTextEditor.selection.active, text));
    },
    'composer.createNew': async (o) => {
      chats = [`chat-${chats.length + 1}`, ...chats];
      title();
      if (o.autoSubmit) submit(o.partialState.text);
    },
  };
  const registered = new Map();
  const register = (id) => registered.set(id, vscode.commands.registerCommand(id, (...args) => (played[id] ? play(played[id]) : commands[id](...args))));
  const play = (how) => {
    if (how === 'hangs') return new Promise(() => undefined);
    if (how === 'throws') throw new Error('the stand-in throws');
    return undefined; // it lies: nothing happens
  };
  for (const id of Object.keys(commands)) register(id);
  context.subscriptions.push(vscode.commands.registerCommand('test.cursor.play', (id, how) => {
    registered.get(id).dispose();
    played[id] = how;
    if (how !== 'missing') register(id);
  }));
  context.subscriptions.push(vscode.commands.registerCommand('test.cursor.agent', (turn) => {
    [turns, promises, submitted.length] = [0, turn, 0];
  }));
  context.subscriptions.push(vscode.commands.registerCommand('test.cursor.release', () => release()));
  context.subscriptions.push(vscode.commands.registerCommand('test.cursor.submitted', () => submitted));
};
