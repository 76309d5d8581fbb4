// A second Python, for the editor alone: what is asked while one types waits for no check, test or proof.

import { FIRST_DRAWING, Language, Stopped } from "./language.js";

const SECONDS = { hover: 10, complete: 5, definition: 5, rename: 10 };

// Python counts characters; the editor counts units of UTF-16.
const wide = (text) => /[\ud800-\udfff]/.test(text);
export const toCharacters = (text, at) => (wide(text) ? Array.from(text.slice(0, at)).length : at);
export const toUnits = (text, at) => (wide(text) ? Array.from(text).slice(0, at).join("").length : at);

export class Reader {
  // `first` is the Python that checks; `texts()` gives every file by name.
  constructor(address, first, texts) {
    Object.assign(this, { address, first, texts, language: null });
  }
  // It starts when somebody turns to the editor, and not before the first Python has.
  begin() {
    if (!this.language && this.first.ready) this.language = new Language(this.address, { seconds: SECONDS, delay: FIRST_DRAWING });
  }
  // The answer about a place in a file; null where there is none in time, or a later question took its place.
  async ask(kind, { name, at, ...more }) {
    this.begin();
    if (!this.language) return null;
    const files = this.texts(), question = { name: `${name}.grid`, offset: toCharacters(files[`${name}.grid`] ?? "", at), files, ...more };
    try {
      return await this.language.ask(kind, question, [kind]);
    } catch (error) {
      if (error instanceof Stopped) return null;
      throw error;
    }
  }
}
