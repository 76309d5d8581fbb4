// Python in a worker: it starts once, from a picture of its memory with the language loaded, and answers one question after
// the other.

import { loadPyodide } from "./pyodide/pyodide.mjs";

const here = (path) => new URL(path, self.location.href).href;
const OPTIONS = { indexURL: here("pyodide/"), stdout: () => {}, stderr: () => {} };
const SETUP = `
import os, sys
if "/language" not in sys.path:
    sys.path.insert(0, "/language")
os.environ["GRIDLANG_CACHE"] = "/language/cache"
os.chdir("/language/agents")
import json
from gridlang.compiler.playground.service import answer
with open("plus_one.grid") as file:
    example = {"source": file.read(), "name": "plus_one.grid"}
for kind in ("check", "draw"):
    answer(json.dumps({"kind": kind, **example}))
answer
`; // The first answer loads what all need, which is not to count against anybody's time.

async function unpacked(path) {
  const response = await fetch(here(path));
  return new Uint8Array(await new Response(response.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}
// The files of the language, one behind the other; the first line says which, and how long they are.
function writeFiles(filesystem, pack) {
  const end = pack.indexOf(10);
  let at = end + 1;
  for (const [name, size] of JSON.parse(new TextDecoder().decode(pack.subarray(0, end)))) {
    const path = `/language/${name}`;
    filesystem.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    filesystem.writeFile(path, pack.subarray(at, at + size));
    at += size;
  }
}
async function start() {
  const pack = unpacked("language.bin"), memory = await unpacked("memory.bin").catch(() => null);
  // Where the picture does not fit the browser, Python starts as it always does, only later.
  const python = await (memory ? loadPyodide({ ...OPTIONS, _loadSnapshot: memory }).catch(() => loadPyodide(OPTIONS)) : loadPyodide(OPTIONS));
  writeFiles(python.FS, await pack);
  return python.runPython(SETUP);
}

const starting = start();
starting.then(() => self.postMessage({ ready: true }), (error) => self.postMessage({ failed: String(error) }));
self.onmessage = async ({ data: { id, question } }) => {
  try {
    const answer = await starting;
    self.postMessage({ id, answer: answer(JSON.stringify(question), (told) => self.postMessage({ id, told })) });
  } catch (error) {
    self.postMessage({ id, failed: String(error.message || error).trim().split("\n").pop() });
  }
};
