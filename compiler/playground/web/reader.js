// A second Python, for the editor alone: what is asked while one types waits for no check, test or proof.

import { FIRST_DRAWING, Language, Stopped } from "./language.js";

const SECONDS = { know: 10, hover: 5, complete: 5, definition: 5, rename: 10 };
const REST = 700; // milliseconds after a check in which the first Python is left to the next one

// Python counts characters; the editor counts units of UTF-16.
const wide = (text) => /[\ud800-\udfff]/.test(text);
export const toCharacters = (text, at) => (wide(text) ? Array.from(text.slice(0, at)).length : at);
export const toUnits = (text, at) => (wide(text) ? Array.from(text).slice(0, at).join("").length : at);

export class Reader {
  // `first` is the Python that checks; `texts()` gives every file by name, `agent()` what is checked.
  constructor(address, first, { texts, agent }) {
    Object.assign(this, { address, first, texts, agent, language: null, known: null, waiting: 0 });
  }
  // It starts when somebody turns to the editor, and not before the first Python has.
  begin() {
    if (!this.language && this.first.ready) this.language = new Language(this.address, { seconds: SECONDS, delay: FIRST_DRAWING });
  }
  // Lets the reader know what only a check tells, once nobody types.
  later(wait = REST) {
    clearTimeout(this.waiting);
    if (this.language) this.waiting = setTimeout(() => this.learn(), wait);
  }
  async learn() {
    const files = this.texts(), agent = this.agent(), about = JSON.stringify(files) + agent.name;
    if (this.known === about) return;
    this.known = about;
    const { summary } = await this.first.ask("summary", agent, ["summary"]).catch(() => ({}));
    if (summary) await this.language.ask("know", { summary, files }, ["know"]).catch(() => {}); else this.known = null;
  }
  // The answer about a place in a file; null where there is none in time, or a later question took its place.
  async ask(kind, { name, at, ...more }) {
    this.begin();
    if (!this.language) return null;
    if (kind === "hover") this.later(0);
    const files = this.texts(), question = { name: `${name}.grid`, offset: toCharacters(files[`${name}.grid`] ?? "", at), files, ...more };
    try {
      return await this.language.ask(kind, question, [kind]);
    } catch (error) {
      if (error instanceof Stopped) return null;
      throw error;
    }
  }
}
