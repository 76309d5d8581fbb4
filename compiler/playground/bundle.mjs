// The part of the build that needs JavaScript. It runs beside what npm has fetched.
//
// node bundle.mjs page WEB FILE   bundles the scripts of a page: WEB/view.js and what it imports.
// node bundle.mjs playground WEB LANGUAGE DOCS OUTPUT VOCABULARY   bundles the scripts of WEB, compiles the modules in
// LANGUAGE as Pyodide's Python does, makes HTML of the Markdown in DOCS, and writes scripts and examples to OUTPUT.

import { build } from "esbuild";
import { marked } from "marked";
import { loadPyodide } from "pyodide";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import zlib from "node:zlib";

const modules = path.join(path.dirname(fileURLToPath(import.meta.url)), "node_modules");
const [what, web, language, docs, output, vocabulary] = process.argv.slice(2);

// Python that is compiled when the page is opened would take longer than all the rest.
const COMPILE = `
import compileall, os, py_compile, sys
unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
compileall.compile_dir("/language", quiet=2, legacy=True, optimize=2, invalidation_mode=unchecked)
os.remove("/language/gridlang/__init__.pyc")  # it reads its own source for the names that it has
for folder, _, files in os.walk("/language"):
    for name in files:
        if name.endswith(".py") and (folder, name) != ("/language/gridlang", "__init__.py"):
            os.remove(os.path.join(folder, name))
sys.path.insert(0, "/language")
os.environ["GRIDLANG_CACHE"] = "/language/cache"
os.chdir("/language/agents")
from gridlang.compiler.playground.service import answer
answer
`;

async function pages() {
  const python = await loadPyodide({ stderr: () => {} });
  python.mountNodeFS("/language", language);
  const answer = python.runPython(COMPILE);
  fs.mkdirSync(path.join(output, "pages"), { recursive: true });
  const files = fs.readdirSync(path.join(language, "agents"));
  for (const file of files) {
    const text = fs.readFileSync(path.join(language, "agents", file), "utf8");
    const params = { textDocument: { uri: `file:///language/agents/${file}`, version: 0, text } };
    const ask = (method) => JSON.parse(answer(JSON.stringify({ method, params }))).result;
    ask("textDocument/didOpen");
    const { items } = ask("textDocument/diagnostic"), page = ask("gridlang/page");
    if (items.length) throw new Error(`${file}: ${items[0].message}`);
    if (page) fs.writeFileSync(path.join(output, "pages", file.replace(/\.grid$/, ".json")), JSON.stringify(page));
  }
}

// A picture of Python's memory with the language loaded: starting from it takes a third of the time.
const LOAD = `
import gc, os, sys
sys.path.insert(0, "/language")
from gridlang.compiler.playground.service import answer
import json
gc.collect()
`;
const ROOM = 31457408; // bytes of memory that Pyodide begins with, and their head: a larger picture would not fit

async function memory() {
  const python = await loadPyodide({ _makeSnapshot: true });
  python.mountNodeFS("/language", language);
  python.runPython(LOAD);
  python.FS.unmount("/language");
  const picture = python.makeMemorySnapshot();
  if (picture.length > ROOM) console.warn("the memory has grown: the playground starts without its picture");
  else fs.writeFileSync(path.join(output, "memory.bin"), zlib.gzipSync(picture));
}

const OPTIONS = { bundle: true, minify: true, target: "es2022", legalComments: "none", logLevel: "warning" };
const page = (outfile) => build({
  ...OPTIONS, entryPoints: [path.join(web, "view.js")], outfile, format: "iife", globalName: "gridlang",
});
const scripts = () => build({
  ...OPTIONS,
  entryPoints: { playground: path.join(web, "main.js"), worker: path.join(web, "worker.js") },
  outdir: output,
  format: "esm",
  nodePaths: [modules],
  define: { VOCABULARY: vocabulary },
  external: ["./pyodide/pyodide.mjs"],
});

// Anchors as forges make them.
const anchor = (title) => title.toLowerCase().replace(/<[^>]*>|&\w+;|[^\w\- ]/g, "").replaceAll(" ", "-");
marked.use({ renderer: { heading({ tokens, depth }) {
  const title = this.parser.parseInline(tokens);
  return `<h${depth} id="${anchor(title)}">${title}</h${depth}>\n`;
} } });
function documentation() {
  for (const file of fs.readdirSync(docs, { recursive: true })) {
    if (!file.endsWith(".md")) continue;
    const from = path.join(docs, file);
    fs.writeFileSync(from.replace(/\.md$/, ".html"), marked.parse(fs.readFileSync(from, "utf8")));
    fs.unlinkSync(from);
  }
}

async function playground() {
  documentation();
  await scripts();
  await pages();
  await memory();
}

try {
  await (what === "page" ? page(language) : playground());
} catch (error) {
  console.error(String(error.message).trim().split("\n").pop()); // Node would print all of Pyodide's script.
  process.exit(1);
}
