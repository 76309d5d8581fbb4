// What needs no editor: why a server does not start, and what the side panel lets in.
import assert from "node:assert";
import { buildSync } from "esbuild";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

async function built(name) {
  const entry = fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url));
  const [{ text }] = buildSync({ entryPoints: [entry], bundle: true, write: false, format: "esm" }).outputFiles;
  return import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`);
}

test("a server that cannot be started is explained with what to type", async () => {
  const { startProblem } = await built("startProblem");
  const failed = (code) => Object.assign(new Error("no"), { code });
  assert.equal(startProblem("gridlang", { error: null, text: "Usage" }), undefined);
  for (const [code, text, said] of [
    ["ENOENT", "", /no program gridlang.*pip install "gridlang\[lsp\]".*gridlang\.path/],
    ["EACCES", "", /may not be run/],
    [2, "Error: No such command 'lsp'.", /too old/],
    [2, "= hint: pip install gridlang[lsp]", /without its language server/],
    [1, "a\nImportError: lark", /ImportError: lark/],
  ]) assert.match(startProblem("gridlang", { error: failed(code), text }), said);
});

test("the panel runs its own script alone and loads nothing", async () => {
  const { panelHtml } = await built("panelHtml");
  const html = panelHtml("0123abcd");
  assert.match(html, /content="default-src 'none'; style-src 'nonce-0123abcd'; script-src 'nonce-0123abcd'"/);
  assert.ok(!/unsafe|https?:|src=|\son\w+=/.test(html));
  new Function(html.match(/<script[^>]*>([^]*)<\/script>/)[1]);
});
