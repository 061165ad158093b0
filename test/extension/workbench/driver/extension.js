'use strict';
// For tests only: POST {"js": "…"} with the test's secret runs code in the extension host and returns its JSON result. Each
// window announces its port, with what it has open, in a file of its own.
const vscode = require('vscode');
const http = require('http');
const { writeFileSync, renameSync, rmSync } = require('fs');
const path = require('path');

const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;

exports.activate = (context) => {
  const [folder, secret] = [process.env.WORKBENCH_DRIVERS, process.env.WORKBENCH_SECRET];
  if (!folder) return;
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (data) => (body += data));
    request.on('end', async () => {
      try {
        if (request.headers['x-secret'] !== secret) throw new Error('wrong secret');
        const value = await new AsyncFunction('vscode', 'require', JSON.parse(body).js)(vscode, require);
        response.end(JSON.stringify({ ok: true, value: value === undefined ? null : value }));
      } catch (error) {
        response.end(JSON.stringify({ ok: false, error: String((error && error.stack) || error) }));
      }
    });
  });
  const file = path.join(folder, `${process.pid}.json`);
  server.listen(0, '127.0.0.1', () => {
    const open = (vscode.workspace.workspaceFolders ?? []).map((f) => f.uri.fsPath);
    writeFileSync(`${file}.new`, JSON.stringify({ port: server.address().port, pid: process.pid, open }));
    renameSync(`${file}.new`, file);
  });
  context.subscriptions.push({ dispose: () => (server.close(), rmSync(file, { force: true })) });
};
