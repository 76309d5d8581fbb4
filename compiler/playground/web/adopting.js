// The files of a link among one's own: none takes the place of another that differs. Such a one gets a free name,
// which is then used wherever it is taken from.

import { plainName } from "./documents.js";

// Keeps the further files of a document, and gives its source with their names.
export function adopting({ source, files: more }, files, documents) {
  const names = Object.entries(more).map(([file, text]) => {
    const free = documents.home(plainName(file), text, (name) => documents.get(name)?.source);
    documents.put(free, { source: text, given: null, example: null });
    return [file, free];
  });
  const put = (whole, [file, name]) => whole.replaceAll(`from "${file}"`, `from "${name}.grid"`);
  const renamed = (text) => names.reduce(put, text);
  for (const [, name] of names) {
    const document = documents.get(name);
    documents.put(name, { ...document, source: renamed(document.source) });
  }
  return renamed(source);
}
