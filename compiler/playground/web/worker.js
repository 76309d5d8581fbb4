// Python in a worker: it starts once, loads the language, and answers one question after the other.

import { loadPyodide } from "./pyodide/pyodide.mjs";

const here = (path) => new URL(path, self.location.href).href;

async function start() {
  const archive = fetch(here("language.zip")).then((response) => response.arrayBuffer());
  const python = await loadPyodide({ indexURL: here("pyodide/"), stdout: () => {}, stderr: () => {} });
  python.unpackArchive(await archive, "zip", { extractDir: "/language" });
  python.runPython(`
import os, sys
sys.path.insert(0, "/language")
os.environ["GRIDLANG_CACHE"] = "/language/cache"
os.chdir("/language/agents")
from compiler.playground.service import answer
`);
  return python.globals.get("answer");
}

const starting = start();
starting.then(() => self.postMessage({ ready: true }), (error) => self.postMessage({ failed: String(error) }));
self.onmessage = async ({ data: { id, question } }) => {
  try {
    const answer = await starting;
    self.postMessage({ id, answer: answer(JSON.stringify(question)) });
  } catch (error) {
    self.postMessage({ id, failed: String(error.message || error).trim().split("\n").pop() });
  }
};
