// Why the language server cannot be started, in words that say what to type; it knows nothing of the editor.

export interface Answer {
  error: (Error & { code?: unknown }) | null;
  text: string;
}

const INSTALL = "pip install gridlang";

export function startProblem(path: string, { error, text }: Answer): string | undefined {
  if (!error) return undefined;
  const setting = "or set gridlang.path to where the program is.";
  if (error.code === "ENOENT") return `There is no program ${path}. Type ${INSTALL} in a terminal, ${setting}`;
  if (error.code === "EACCES") return `${path} may not be run. Type ${INSTALL} in a terminal, ${setting}`;
  if (/No such command/i.test(text)) return `This gridlang is too old for editors. Type ${INSTALL} --upgrade in a terminal, ${setting}`;
  const first = text.trim().split("\n").at(-1) ?? "";
  return `${path} lsp does not start${first ? `: ${first}` : ""}. Type ${INSTALL} in a terminal, ${setting}`;
}
