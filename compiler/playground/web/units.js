// Places in a text: Python counts characters, the editor units of UTF-16.

const wide = (text) => /[\ud800-\udfff]/.test(text);
export const toCharacters = (text, at) => (wide(text) ? Array.from(text.slice(0, at)).length : at);
export const toUnits = (text, at) => (wide(text) ? Array.from(text).slice(0, at).join("").length : at);
