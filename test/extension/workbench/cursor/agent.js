'use strict';
// The simulated Cursor behind the chats of this window: a program, to which each message of a user goes.
const { spawn } = require('child_process');
const { createInterface } = require('readline');

exports.simulated = (program, folders) => {
  const child = spawn(program, folders, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  let last = 0;
  const end = (why) => {
    for (const { reject } of waiting.values()) reject(new Error(why));
    waiting.clear();
  };
  child.on('error', (error) => end(String(error)));
  child.on('exit', () => end('the simulated Cursor has ended'));
  child.stdin.on('error', () => undefined);
  createInterface(child.stdout).on('line', (line) => {
    const answer = JSON.parse(line);
    const { resolve, reject } = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.error) reject(new Error(answer.error));
    else resolve(answer);
  });
  const ask = (what, more) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve, reject });
      child.stdin.write(JSON.stringify({ id, do: what, ...more }) + '\n');
    });
  return { ask, dispose: () => child.stdin.end() };
};
