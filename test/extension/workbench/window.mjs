// One window of the workbench, as its user and as code in its extension host sees it.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { until } from './workbench.mjs';

export class Window {
  constructor(workbench, page, driver) {
    this.workbench = workbench;
    this.page = page;
    this.driver = driver; // {port, pid, open}
  }

  async run(js) {
    const answer = await (await fetch(`http://127.0.0.1:${this.driver.port}/`, { method: 'POST', headers: { 'x-secret': this.workbench.secret }, body: JSON.stringify({ js }) })).json();
    if (!answer.ok) throw new Error(answer.error);
    return answer.value;
  }

  command(id, ...args) {
    return this.run(`return await vscode.commands.executeCommand(${[id, ...args].map((a) => JSON.stringify(a)).join(', ')})`);
  }

  // cursor tells the stand-in for Cursor something, or asks it.
  cursor(what, ...args) {
    return this.command(`test.cursor.${what}`, ...args);
  }

  chip() {
    return this.page.locator('[id="cursor-ralph.cursor-ralph.cursorRalph.chip"]');
  }

  async chipText() {
    return (await this.chip().count()) && (await this.chip().innerText()).trim();
  }

  wantChip(text, ms) {
    return until(`the chip ${text}`, async () => (typeof text === 'string' ? (await this.chipText()) === text : text.test(await this.chipText())), ms);
  }

  notice(text) {
    return this.page.locator('.notifications-toasts .notification-list-item', { hasText: text });
  }

  row(label) {
    return this.page.locator('.quick-input-widget .monaco-list-row', { hasText: label }).first();
  }

  // pick picks a row of the chip's menu, by the keyboard: the row may move under a pointer.
  async pick(label) {
    await this.chip().click();
    await this.row(label).waitFor();
    await this.page.locator('.quick-input-widget input').fill(label);
    await this.page.locator('.quick-input-widget .monaco-list-row.focused', { hasText: label }).waitFor();
    await this.page.keyboard.press('Enter');
  }

  // steer picks a row of the menu, and confirms what it asks.
  async steer(label, text) {
    await this.pick(label);
    if (label === 'Cancel') await this.page.locator('.monaco-dialog-box .monaco-button', { hasText: 'Cancel the Loop' }).click();
    if (text === undefined) return;
    await this.page.locator('.quick-input-widget input').fill(text);
    await this.page.keyboard.press('Enter');
  }

  // frame returns the frame of a webview, by something that is in it.
  frame(selector) {
    return until(`a webview with ${selector}`, async () => {
      for (const f of this.page.frames()) if (f !== this.page.mainFrame() && (await f.$(selector).catch(() => null))) return f;
      return undefined;
    });
  }

  // input returns what stands in the chat's input. editor is the class of the input's root.
  async input(editor = 'aislash-editor-input') {
    const chat = await this.frame(`.${editor}`);
    return { text: (await chat.locator('#input').innerText()).trim(), title: await chat.locator('#title').innerText() };
  }

  async openFile(name) {
    await this.run(`await vscode.window.showTextDocument(vscode.Uri.file(${JSON.stringify(this.workbench.at('ws', name))}))`);
    await this.clickFile();
  }

  clickFile() {
    return this.page.locator('.monaco-editor .view-line').first().click();
  }

  fileText() {
    return this.run('return vscode.window.visibleTextEditors[0].document.getText()');
  }

  close() {
    return this.page.context().close();
  }

  async shot(name) {
    if (!process.env.SHOTS) return;
    mkdirSync(process.env.SHOTS, { recursive: true });
    await this.page.screenshot({ path: path.join(process.env.SHOTS, `${name}.png`) });
  }
}
