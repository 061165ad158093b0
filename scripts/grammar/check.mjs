// check.mjs LANGUAGE FILE...: parses each file and prints what the grammar does
// not understand. LANGUAGE is powershell or c-sharp.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Language, Parser } from "web-tree-sitter";

const wasm = {
  "powershell": "tree-sitter-powershell/tree-sitter-powershell.wasm",
  "c-sharp": "tree-sitter-c-sharp/tree-sitter-c_sharp.wasm",
};

const [language, ...files] = process.argv.slice(2);
await Parser.init();
const parser = new Parser();
parser.setLanguage(await Language.load(createRequire(import.meta.url).resolve(wasm[language])));

function* problems(node) {
  if (node.isError || node.isMissing) yield node;
  for (const child of node.children) yield* problems(child);
}

for (const file of files) {
  const { rootNode } = parser.parse(readFileSync(file, "utf8"));
  for (const { startPosition, isMissing, type, text } of problems(rootNode)) {
    console.log(`${file}:${startPosition.row + 1}:${startPosition.column + 1}: ${isMissing ? `missing ${type}` : "not understood"}: ${text.slice(0, 60)}`);
    process.exitCode = 1;
  }
}
