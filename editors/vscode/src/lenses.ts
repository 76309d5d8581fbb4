// "Run" and "Test" above an agent, "Replay" above each of its tests; the words are found without the editor.

export interface Lens {
  line: number;
  title: string;
  tooltip: string;
  command: "gridlang.run" | "gridlang.test";
  input?: string;
}

const AGENT = /^agent\b/;
const TEST = /^test\s+(?:[\p{L}_][\p{L}\p{N}_]*\s*:\s*)?"((?:[^"\\]|\\.)*)"(?!")/u; // of a row; a picture is replayed as the file's first test

export function lensesOf(text: string): Lens[] {
  const lines = text.split(/\r?\n/), tested = lines.some((line) => /^test\b/.test(line));
  return lines.flatMap((words, line): Lens[] => {
    const test = TEST.exec(words);
    if (AGENT.test(words)) {
      const run: Lens = { line, title: "▶ Run", tooltip: "Play the agent in the replay beside the text", command: "gridlang.run" };
      return tested ? [run, { line, title: "✓ Test", tooltip: "Run the tests of this file in a terminal", command: "gridlang.test" }] : [run];
    }
    if (!test) return [];
    const input = (test[1] ?? "").replace(/\\(.)/g, "$1");
    return [{ line, title: "▶ Replay", tooltip: `Play ${input} beside the text`, command: "gridlang.run", input }];
  });
}
