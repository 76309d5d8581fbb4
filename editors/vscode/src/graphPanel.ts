// The side panel: the state graph of the text that is edited, drawn anew as it changes.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import { panelHtml } from "./panelHtml";

const PAUSE_MS = 200; // Between keystrokes nobody looks at a graph.

interface Drawn {
  svg: string | null;
  message: string | null;
}

export class GraphPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private followed: vscode.TextDocument | undefined;
  private pause: NodeJS.Timeout | undefined;
  private asked = 0;
  private readonly listeners: vscode.Disposable[];

  constructor(private readonly server: () => LanguageClient | undefined) {
    this.listeners = [
      vscode.window.onDidChangeActiveTextEditor((editor) => this.follow(editor?.document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.languageId === "grid") this.refresh();
      }),
      vscode.workspace.onDidSaveTextDocument((document) => {
        if (document.languageId === "grid") this.refresh();
      }),
    ];
  }

  show(): void {
    if (!this.panel) {
      const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
      const options = { enableScripts: true, localResourceRoots: [], retainContextWhenHidden: true };
      this.panel = vscode.window.createWebviewPanel("gridlang.graph", "State Graph", where, options);
      this.panel.onDidDispose(() => { this.panel = undefined; });
      this.panel.webview.html = panelHtml(randomBytes(16).toString("hex"));
    } else this.panel.reveal(undefined, true);
    this.follow(vscode.window.activeTextEditor?.document);
    this.refresh();
  }

  // A change is drawn after a pause; what is asked later makes an earlier answer void.
  refresh(): void {
    clearTimeout(this.pause);
    if (this.panel) this.pause = setTimeout(() => void this.draw(), PAUSE_MS);
  }

  dispose(): void {
    clearTimeout(this.pause);
    this.panel?.dispose();
    for (const listener of this.listeners) listener.dispose();
  }

  private follow(document: vscode.TextDocument | undefined): void {
    if (document?.languageId !== "grid" || document === this.followed) return;
    this.followed = document;
    if (this.panel) this.panel.title = `Graph of ${document.uri.path.split("/").at(-1) ?? ""}`;
    this.refresh();
  }

  private async draw(): Promise<void> {
    const panel = this.panel, document = this.followed, number = ++this.asked;
    if (!panel || !document) return;
    const drawn = await this.ask(document);
    if (number === this.asked && panel === this.panel) await panel.webview.postMessage({ ...drawn, file: document.uri.toString() });
  }

  private async ask(document: vscode.TextDocument): Promise<Drawn> {
    const server = this.server();
    if (!server) return { svg: null, message: "The language server of gridlang does not run." };
    try {
      return await server.sendRequest<Drawn>("gridlang/graph", { textDocument: { uri: document.uri.toString() } });
    } catch (error) {
      return { svg: null, message: error instanceof Error ? error.message : String(error) };
    }
  }
}
