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
  const packed = atob(match[1].replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
  const whole = await through(bytes, new DecompressionStream("deflate-raw"), LONGEST);
  const data = JSON.parse(new TextDecoder().decode(whole));
  if (typeof data?.source !== "string") throw new Error("the link holds no source");
  const text = (value) => (typeof value === "string" ? value : null), step = Number(data.step);
  const files = Object.entries(data.files ?? {}).filter(([, each]) => typeof each === "string");
  return {
    name: text(data.name) ?? "shared", source: data.source, given: text(data.given), example: text(data.example),
    files: Object.fromEntries(files), step: Number.isSafeInteger(step) && step > 0 ? step : 0, tab: text(data.tab),
  };
}
// The address without a document: what is shown is no longer what the link holds, and a reload is to show what is.
export function leaveLink() {
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
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
