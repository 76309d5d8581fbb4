// The side panel: the replay page of the text that is edited, and the line that its run is at.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import { noticeHtml } from "./noticeHtml";

const PAUSE_MS = 300; // Between keystrokes nobody looks at a page.

interface Made {
  html: string | null;
  files: string[];
  message: string | null;
}
interface Told {
  kind: "ready" | "state" | "step";
  file?: number;
  line?: number;
}
type Asked = { kind: "cursor"; file: number; line: number } | { kind: "play"; input: string | null } | { kind: "problem"; text: string };

export class ReplayPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private followed: vscode.TextDocument | undefined;
  private made: Made | undefined;
  private waiting: Asked | undefined; // what to do as soon as the page is there
  private ready = false;
  private pause: NodeJS.Timeout | undefined;
  private asked = 0;
  private moved = 0; // when the page last moved the cursor, which is then not told back to it
  private readonly atStep = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.stackFrameHighlightBackground"),
    overviewRulerColor: new vscode.ThemeColor("editor.stackFrameHighlightBackground"),
  });
  private readonly listeners: vscode.Disposable[];

  constructor(private readonly server: () => LanguageClient | undefined) {
    const isGrid = (document: vscode.TextDocument) => document.languageId === "grid";
    this.listeners = [
      this.atStep,
      vscode.window.onDidChangeActiveTextEditor((editor) => this.follow(editor?.document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => { if (isGrid(document)) this.refresh(); }),
      vscode.workspace.onDidSaveTextDocument((document) => { if (isGrid(document)) this.refresh(); }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
        if (kind === vscode.TextEditorSelectionChangeKind.Mouse || kind === vscode.TextEditorSelectionChangeKind.Keyboard) this.tellCursor(textEditor);
      }),
    ];
  }

  show(): void {
    if (!this.panel) {
      const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
      const options = { enableScripts: true, localResourceRoots: [], retainContextWhenHidden: true };
      this.panel = vscode.window.createWebviewPanel("gridlang.replay", "Replay", where, options);
      this.panel.webview.onDidReceiveMessage((told: Told) => this.heard(told));
      this.panel.onDidDispose(() => this.closed());
      this.panel.webview.html = noticeHtml("reading …");
      this.followed = undefined;
    } else this.panel.reveal(undefined, true);
    this.follow(vscode.window.activeTextEditor?.document);
    this.refresh();
  }

  // Plays the file's first test, or an input of its own.
  play(input?: string): void {
    const wanted: Asked = { kind: "play", input: input ?? null };
    if (this.ready && this.panel && this.followed === vscode.window.activeTextEditor?.document) void this.send(wanted);
    else this.waiting = wanted;
    this.show();
  }

  // A change is shown after a pause; what is asked later makes an earlier answer void.
  refresh(): void {
    clearTimeout(this.pause);
    if (this.panel) this.pause = setTimeout(() => void this.make(), PAUSE_MS);
  }

  dispose(): void {
    clearTimeout(this.pause);
    this.panel?.dispose();
    for (const listener of this.listeners) listener.dispose();
  }

  private closed(): void {
    this.panel = this.made = this.followed = this.waiting = undefined;
    this.ready = false;
    this.mark(undefined);
  }

  private follow(document: vscode.TextDocument | undefined): void {
    if (document?.languageId !== "grid" || document === this.followed || !this.panel) return;
    this.followed = document;
    this.panel.title = `Replay of ${document.uri.path.split("/").at(-1) ?? ""}`;
    this.refresh();
  }

  private async make(): Promise<void> {
    const panel = this.panel, document = this.followed, number = ++this.asked;
    if (!panel || !document) return;
    const made = await this.ask(document);
    if (number !== this.asked || panel !== this.panel) return;
    if (made.html === null && this.made) return void this.send({ kind: "problem", text: made.message ?? "" });
    if (made.html === null) panel.webview.html = noticeHtml(made.message ?? "");
    else if (made.html === this.made?.html) return void this.send({ kind: "problem", text: "" });
    else {
      this.made = made;
      this.ready = false;
      panel.webview.html = made.html;
    }
  }

  private async ask(document: vscode.TextDocument): Promise<Made> {
    const nothing = { html: null, files: [] }, server = this.server();
    if (!server) return { ...nothing, message: "The language server of gridlang does not run." };
    try {
      return await server.sendRequest<Made>("gridlang/panel", { textDocument: { uri: document.uri.toString() } });
    } catch (error) {
      return { ...nothing, message: error instanceof Error ? error.message : String(error) };
    }
  }

  private send(asked: Asked): Thenable<boolean> | undefined {
    return this.panel?.webview.postMessage(asked);
  }

  private heard({ kind, file, line }: Told): void {
    if (kind === "ready") {
      this.ready = true;
      if (this.waiting) void this.send(this.waiting);
      this.waiting = undefined;
    } else if (kind === "state" && file !== undefined && line !== undefined) void this.reveal(this.made?.files[file], line - 1);
    else if (kind === "step") this.mark(file === undefined ? undefined : this.made?.files[file], (line ?? 1) - 1);
  }

  // A state that is picked in the page is shown in the text.
  private async reveal(path: string | undefined, line: number): Promise<void> {
    if (!path) return;
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path)), at = new vscode.Range(line, 0, line, 0);
    const shown = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
    this.moved = Date.now();
    await vscode.window.showTextDocument(document, { viewColumn: shown?.viewColumn ?? vscode.ViewColumn.One, preserveFocus: true, selection: at });
  }

  // The line of the rule that comes next.
  private mark(path: string | undefined, line = 0): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const here = path !== undefined && editor.document.uri.fsPath === path && line < editor.document.lineCount;
      editor.setDecorations(this.atStep, here ? [new vscode.Range(line, 0, line, 0)] : []);
      if (here) editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  // The state of the line that the cursor is in is picked in the page.
  private tellCursor({ document, selection }: vscode.TextEditor): void {
    const file = this.made?.files.indexOf(document.uri.fsPath) ?? -1;
    if (this.ready && file >= 0 && Date.now() - this.moved > PAUSE_MS) void this.send({ kind: "cursor", file, line: selection.active.line + 1 });
  }
}
