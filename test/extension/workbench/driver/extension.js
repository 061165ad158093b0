'use strict';
// For tests only: POST {"js": "…"} with the test's secret runs code in the extension host and returns its JSON result.
const vscode = require('vscode');
const http = require('http');

const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;

exports.activate = (context) => {
  const [port, secret] = [Number(process.env.WORKBENCH_DRIVER_PORT), process.env.WORKBENCH_DRIVER_SECRET];
  if (!port) return;
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
  server.on('error', () => undefined); // a second window does without
  server.listen(port, '127.0.0.1');
  context.subscriptions.push({ dispose: () => server.close() });
};
