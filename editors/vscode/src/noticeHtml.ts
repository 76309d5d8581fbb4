// What the side panel says while there is no page; it runs nothing and loads nothing.

export function noticeHtml(text: string): string {
  const safe = text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<title>Replay</title>
</head>
<body><main><h1>Replay</h1><p role="status">${safe}</p></main></body>
</html>`;
}
