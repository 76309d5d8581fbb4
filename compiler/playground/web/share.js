// A document in a link: compressed behind the #, which no server ever sees.

const LONGEST = 2000000; // bytes that a link may grow to: a small one could hold a mountain of zeros

export async function toFragment(document) {
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  const packed = await through(bytes, new CompressionStream("deflate-raw"), Infinity);
  return `#s=${base64(packed)}`;
}

// The document in a fragment; null where there is none, and an error where it is broken.
export async function fromFragment(fragment) {
  const match = /^#s=([\w-]*)$/.exec(fragment);
  if (!match) return null;
  const bytes = Uint8Array.from(atob(match[1].replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  const data = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"), LONGEST)));
  if (typeof data?.source !== "string") throw new Error("the link holds no source");
  const files = Object.entries(data.files ?? {}).filter(([, text]) => typeof text === "string");
  return { name: String(data.name ?? "shared"), source: data.source, given: typeof data.given === "string" ? data.given : null, files: Object.fromEntries(files) };
}

async function through(bytes, transform, longest) {
  const reader = new Blob([bytes]).stream().pipeThrough(transform).getReader(), parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > longest) throw new Error("the link holds too much");
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
