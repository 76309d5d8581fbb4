// The extension: starts `gridlang lsp`, says what to do where that cannot be, and shows the replay beside a text.

import { execFile } from "node:child_process";
import * as vscode from "vscode";
import { LanguageClient, State, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";

import { programPath, register } from "./commands";
import { ReplayPanel } from "./replayPanel";
import { startProblem } from "./startProblem";

const LOOK_MS = 10_000; // Python on a cold disk takes seconds to start; nothing takes longer.

let client: LanguageClient | undefined;
let output: vscode.LogOutputChannel;

export function activate(context: vscode.ExtensionContext): void {
  output = vscode.window.createOutputChannel("gridlang", { log: true });
  const panel = new ReplayPanel(() => (client?.state === State.Running ? client : undefined));
  context.subscriptions.push(
    output,
    panel,
    ...register(panel),
    vscode.commands.registerCommand("gridlang.restart", () => restart(panel)),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("gridlang.path")) void restart(panel);
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => restart(panel)),
  );
  void restart(panel);
}

export async function deactivate(): Promise<void> {
  await client?.dispose();
}

async function restart(panel: ReplayPanel): Promise<void> {
  const old = client;
  client = undefined;
  await old?.dispose().catch((error: unknown) => output.warn(String(error)));
  if (!vscode.workspace.isTrusted) return;
  const path = programPath();
  const problem = startProblem(path, await helpOf(path));
  if (problem) {
    void explain(problem);
    return;
  }
  const server: ServerOptions = { command: path, args: ["lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: "file", language: "grid" }, { scheme: "untitled", language: "grid" }],
    outputChannel: output,
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.grid") },
  };
  const started = new LanguageClient("gridlang", "gridlang", server, options);
  client = started;
  try {
    await started.start();
    panel.refresh();
  } catch (error) {
    output.error(String(error));
    void explain("The language server of gridlang did not start; the output says why.");
  }
}

// What `gridlang lsp --help` answers: whether the program is there, and new and complete enough to serve.
function helpOf(path: string): Promise<{ error: (Error & { code?: unknown }) | null; text: string }> {
  return new Promise((answered) => {
    execFile(path, ["lsp", "--help"], { timeout: LOOK_MS, windowsHide: true }, (error, stdout, stderr) =>
      answered({ error: error as (Error & { code?: unknown }) | null, text: stdout + stderr }),
    );
  });
}

async function explain(message: string): Promise<void> {
  const settings = "Open Settings", log = "Show Output", again = "Try Again";
  output.warn(message);
  const chosen = await vscode.window.showWarningMessage(message, settings, log, again);
  if (chosen === settings) await vscode.commands.executeCommand("workbench.action.openSettings", "gridlang.path");
  if (chosen === log) output.show();
  if (chosen === again) await vscode.commands.executeCommand("gridlang.restart");
}
