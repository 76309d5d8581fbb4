// What needs no editor: why a server does not start, what the panel says, and where lenses stand.
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
    ["ENOENT", "", /no program gridlang.*pip install gridlang.*gridlang\.path/],
    ["EACCES", "", /may not be run/],
    [2, "Error: No such command 'lsp'.", /too old/],
    [1, "a\nImportError: lark", /ImportError: lark/],
  ]) assert.match(startProblem("gridlang", { error: failed(code), text }), said);
});

test("a notice in the panel runs nothing, loads nothing, and shows words as words", async () => {
  const { noticeHtml } = await built("noticeHtml");
  const html = noticeHtml('<img src="x">');
  assert.match(html, /content="default-src 'none'"/);
  assert.ok(!/<script|<img|https?:/.test(html));
});

test("an agent has lenses to run and to test it, and each of its tests one to replay it", async () => {
  const { lensesOf } = await built("lenses");
  const shown = (text) => lensesOf(text).map(({ line, title, input }) => [line, title, input]);
  assert.deepEqual(shown('# x\nagent a\nstate s\ntest "1+1" = "2"\r\ntest two: "a\\"b" = "c"\ntest """\n[1]\n""" halts'), [
    [1, "▶ Run", undefined], [1, "✓ Test", undefined], [3, "▶ Replay", "1+1"], [4, "▶ Replay", 'a"b'],
  ]);
  assert.deepEqual(shown("agent a\nstart s"), [[0, "▶ Run", undefined]]);
  assert.deepEqual(shown('  test "no"\nlibrary l'), []);
});
