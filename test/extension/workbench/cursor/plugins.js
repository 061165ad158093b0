'use strict';
// vscode.cursor, for one other extension: what it requires as "vscode" has it. Cursor's own API has it for all.
const Module = require('module');
const path = require('path');

exports.offer = (cursor, folder) => {
  const load = Module._load;
  const offered = new Map();
  Module._load = function (request, parent, ...rest) {
    const api = load.call(this, request, parent, ...rest);
    if (request !== 'vscode' || !parent?.filename?.startsWith(folder + path.sep)) return api;
    if (!offered.has(api)) offered.set(api, Object.create(api, { cursor: { value: cursor } }));
    return offered.get(api);
  };
};
