// The commands of the lenses: a run is played in the panel, tests are run in a terminal.

import * as vscode from "vscode";

import { lensesOf } from "./lenses";
import type { ReplayPanel } from "./replayPanel";

export const programPath = (): string => vscode.workspace.getConfiguration("gridlang").get<string>("path")?.trim() || "gridlang";

export function register(panel: ReplayPanel): vscode.Disposable[] {
  return [
    vscode.commands.registerCommand("gridlang.showReplay", () => panel.show()),
    vscode.commands.registerCommand("gridlang.run", (input?: unknown) => panel.play(typeof input === "string" ? input : undefined)),
    vscode.commands.registerCommand("gridlang.test", test),
    vscode.languages.registerCodeLensProvider({ language: "grid" }, {
      provideCodeLenses: (document) =>
        lensesOf(document.getText()).map(({ line, title, tooltip, command, input }) =>
          new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title, tooltip, command, arguments: input === undefined ? [] : [input] })),
    }),
  ];
}

// A process of its own, without a shell: a file's name is never read as a command.
async function test(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (!document || document.languageId !== "grid") return;
  if (!vscode.workspace.isTrusted || document.uri.scheme !== "file") {
    void vscode.window.showWarningMessage("Save the file in a trusted folder to run its tests.");
    return;
  }
  await document.save();
  const scope = vscode.workspace.getWorkspaceFolder(document.uri) ?? vscode.TaskScope.Workspace;
  const name = `test ${document.uri.path.split("/").at(-1) ?? ""}`;
  const task = new vscode.Task({ type: "process" }, scope, name, "gridlang", new vscode.ProcessExecution(programPath(), ["test", document.uri.fsPath]));
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true, panel: vscode.TaskPanelKind.Dedicated };
  await vscode.tasks.executeTask(task);
}
