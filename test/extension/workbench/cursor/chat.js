'use strict';
// A chat whose input is a real editor from npm: Lexical, as in Cursor's editor window, or ProseMirror, as in its Agents window.
const vscode = require('vscode');
const path = require('path');

const inputs = process.env.WORKBENCH_INPUTS;
const roots = { lexical: '.aislash-editor-input', prosemirror: '.ui-prompt-input-editor__input' };

const html = (webview, editor) => {
  const script = webview.asWebviewUri(vscode.Uri.file(path.join(inputs, `${editor}.js`)));
  const root = roots[editor];
  return `<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-x' ${webview.cspSource}; style-src 'unsafe-inline'">
<style>body { padding: 8px } ${root} { border: 1px solid var(--vscode-input-border, #888); min-height: 40px; padding: 6px } p { margin: 0 }</style></head>
<body><div id="title"></div><div id="host"></div><script nonce="x" src="${script}"></script><script nonce="x">
const code = acquireVsCodeApi();
let pasted = false;
const submit = (text) => {
  if (text.trim()) code.postMessage({ type: 'submit', text: text.trim(), pasted });
  pasted = false;
  return true;
};
const input = chatInput(document.getElementById('host'), { submits: (e) => e.key === 'Enter' && !e.shiftKey, submit });
const root = document.querySelector('${root}');
root.id = 'input';
const focus = () => code.postMessage({ type: 'focus', has: document.hasFocus() && document.activeElement === root });
root.addEventListener('focus', focus); root.addEventListener('blur', focus); addEventListener('blur', focus);
root.addEventListener('keydown', (e) => code.postMessage({ type: 'key', key: e.key }));
root.addEventListener('paste', () => (pasted = true));
addEventListener('message', (e) => {
  if (e.data.type === 'title') document.getElementById('title').textContent = e.data.text;
  if (e.data.type === 'focus') input.focus();
  if (e.data.type === 'clear') input.clear();
  if (e.data.type === 'paste') pasted = document.execCommand('insertText', false, e.data.text);
});
code.postMessage({ type: 'ready' });
</script></body></html>`;
};

// Chat is one view. It shows one chat at a time.
exports.Chat = class {
  constructor(context, id, editor, submitted) {
    this.id = id;
    this.hasFocus = false;
    this.keys = [];
    this.text = '';
    this.visible = new Promise((resolve) => (this.opened = resolve));
    const got = {
      ready: () => (this.opened(), this.title(this.text)),
      focus: (m) => (this.hasFocus = m.has),
      key: (m) => this.keys.push(m.key),
      submit: submitted,
    };
    const resolveWebviewView = (view) => {
      this.view = view;
      view.webview.options = { enableScripts: true, localResourceRoots: [vscode.Uri.file(inputs)] };
      view.webview.onDidReceiveMessage((m) => got[m.type](m));
      view.webview.html = html(view.webview, editor);
    };
    context.subscriptions.push(vscode.window.registerWebviewViewProvider(id, { resolveWebviewView }, { webviewOptions: { retainContextWhenHidden: true } }));
  }

  title(text) {
    this.text = text;
    return this.view?.webview.postMessage({ type: 'title', text });
  }

  async show() {
    await vscode.commands.executeCommand(`${this.id}.focus`);
    await this.visible;
  }

  async focus() {
    await this.show();
    this.view.show(false);
    await this.view.webview.postMessage({ type: 'focus' });
    for (let i = 0; i < 100 && !this.hasFocus; i++) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  paste(text) {
    return this.view.webview.postMessage({ type: 'paste', text });
  }

  clear() {
    return this.view?.webview.postMessage({ type: 'clear' });
  }
};
