// Every example, coloured: which texts have which scope is kept in examples.snap (npm run update writes it).
import assert from "node:assert";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const { Registry, parseRawGrammar, INITIAL } = require("vscode-textmate");
const { loadWASM, OnigScanner, OnigString } = require("vscode-oniguruma");
const here = fileURLToPath(new URL(".", import.meta.url)), examples = `${here}../../../examples/`, page = `${here}../../../docs/reference/language.md`;
const file = `${here}../syntaxes/grid.tmLanguage.json`, kept = `${here}examples.snap`;

async function grammar() {
  await loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")));
  const onigLib = Promise.resolve({ createOnigScanner: (patterns) => new OnigScanner(patterns), createOnigString: (text) => new OnigString(text) });
  const registry = new Registry({ onigLib, loadGrammar: async () => parseRawGrammar(readFileSync(file, "utf8"), file) });
  return registry.loadGrammar("source.grid");
}
const colours = await grammar();

function* scoped(text) {
  let state = INITIAL;
  for (const line of text.split("\n")) {
    const { tokens, ruleStack } = colours.tokenizeLine(line, state);
    state = ruleStack;
    let joined = "";
    for (const { startIndex, endIndex, scopes } of tokens) {
      joined += line.slice(startIndex, endIndex);
      yield { text: line.slice(startIndex, endIndex), scopes, line };
    }
    assert.equal(joined.slice(0, line.length), line);
  }
}
function summary(name, text) {
  const kinds = new Map();
  for (const { text: part, scopes } of scoped(text)) {
    const scope = scopes.at(-1).replace(/\.grid$/, "");
    if (!part.trim() || scope.startsWith("comment") || scope.startsWith("punctuation")) continue;
    if (!kinds.has(scope)) kinds.set(scope, new Set());
    kinds.get(scope).add(/^(string|constant\.numeric)/.test(scope) ? "…" : part.trim()); // Tests come and go.
  }
  return `${name}\n${[...kinds].sort().map(([scope, parts]) => `  ${scope}: ${[...parts].sort().join(" ")}\n`).join("")}`;
}

const sources = readdirSync(examples).filter((name) => name.endsWith(".grid")).sort().map((name) => [name, readFileSync(examples + name, "utf8")]);
const blocks = [...readFileSync(page, "utf8").matchAll(/```grid.*\n([^]*?)```/g)].map(([, text], index) => [`language.md ${index}`, text]);

test("every word and mark of the examples and of the reference has a scope of its own", () => {
  for (const [name, text] of [...sources, ...blocks])
    for (const { text: part, scopes, line } of scoped(text))
      if (part.trim()) assert.ok(!/^(source|meta)\./.test(scopes.at(-1)), `${name}: ${JSON.stringify(part)} in ${line}`);
});

test("the examples have the scopes that were kept", () => {
  const now = sources.map(([name, text]) => summary(name, text)).join("\n");
  if (process.env.UPDATE) writeFileSync(kept, now);
  assert.equal(now, readFileSync(kept, "utf8"), "npm run update writes the file anew");
});

test("hostile lines end, and those after them are coloured", () => {
  for (const first of ['test "', "  '", "agent (((((", "  _ : R -> (", "\u0000\u202e→", `  ${"(".repeat(5000)}`, `  ${"a in ".repeat(3000)}`]) {
    const declared = [...scoped(`${first}\nstate b\n`)].filter(({ scopes }) => scopes.at(-1) === "keyword.declaration.grid").map(({ text }) => text);
    assert.equal(declared.at(-1), "state");
  }
});
