// Python in a worker: it starts once, from a picture of its memory with the language loaded, and answers one message
// after the other.

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
    document = {"uri": "file:///language/agents/plus_one.grid", "version": 0, "text": file.read()}
for method in ("didOpen", "diagnostic", "page", "didClose"):
    name = "gridlang/page" if method == "page" else "textDocument/" + method
    answer(json.dumps({"method": name, "params": {"textDocument": document}}))
answer
`; // The first answers load what all need, which is not to count against anybody's time.

async function unpacked(path) {
  const response = await fetch(here(path)), unzipped = response.body.pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(unzipped).arrayBuffer());
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
  const plainly = () => loadPyodide(OPTIONS); // Where the picture does not fit the browser, Python starts later.
  const python = await (memory ? loadPyodide({ ...OPTIONS, _loadSnapshot: memory }).catch(plainly) : plainly());
  writeFiles(python.FS, await pack);
  return python.runPython(SETUP);
}

const starting = start();
starting.then(() => self.postMessage({ ready: true }), (error) => self.postMessage({ failed: String(error) }));
self.onmessage = async ({ data }) => {
  const { id } = data, tell = (told) => self.postMessage({ id, told });
  try {
    const answer = await starting;
    self.postMessage(JSON.parse(answer(JSON.stringify(data), tell)));
  } catch (error) {
    self.postMessage({ id, failed: String(error.message || error).trim().split("\n").pop() });
  }
};
