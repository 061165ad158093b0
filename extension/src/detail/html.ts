// The detail page's frame. It has no data of a loop: page.ts gets that by a
// message and shows it as text.

export interface Parts {
  nonce: string;
  script: string;
}

const style = `
body { color: var(--vscode-foreground); font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); padding: 0 20px 40px; max-width: 1100px; }
h1 { font-size: 1.4em; font-weight: 600; } h2 { font-size: 1.1em; font-weight: 600; margin-top: 1.6em; }
.status { border: 1px solid var(--vscode-contrastBorder, transparent); background: var(--vscode-badge-background); color: var(--vscode-badge-foreground); border-radius: 3px; padding: 1px 8px; margin-left: 8px; font-size: .8em; vertical-align: middle; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 0; } dt { color: var(--vscode-descriptionForeground); } dd { margin: 0; overflow-wrap: anywhere; }
pre { background: var(--vscode-textCodeBlock-background); padding: 8px; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 20em; overflow: auto; font-family: var(--vscode-editor-font-family); border: 1px solid var(--vscode-contrastBorder, transparent); }
button { color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground); border: 1px solid var(--vscode-button-border, transparent); border-radius: 2px; padding: 4px 12px; margin: 0 8px 8px 0; cursor: pointer; font: inherit; }
button.link { color: var(--vscode-textLink-foreground); background: none; border: 0; padding: 0; margin: 0 12px 0 0; text-decoration: underline; text-align: left; overflow-wrap: anywhere; }
button:focus-visible, summary:focus-visible, pre:focus-visible, svg:focus-visible, rect:focus-visible { outline: 2px solid var(--vscode-focusBorder); outline-offset: 1px; }
table { border-collapse: collapse; width: 100%; } caption { text-align: left; color: var(--vscode-descriptionForeground); padding: 4px 0; }
th, td { text-align: left; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--vscode-widget-border, var(--vscode-contrastBorder, #8884)); vertical-align: top; overflow-wrap: anywhere; }
tr.current > * { background: var(--vscode-list-inactiveSelectionBackground); }
svg { width: 100%; height: 180px; display: block; } svg text { fill: var(--vscode-descriptionForeground); font-size: 11px; }
rect.none { fill: var(--vscode-charts-blue, #3794ff); } rect.accepted { fill: var(--vscode-charts-green, #89d185); } rect.refused { fill: var(--vscode-charts-red, #f14c4c); stroke: var(--vscode-foreground); stroke-dasharray: 3 2; }
.axis { stroke: var(--vscode-descriptionForeground); stroke-width: 1; }
.empty { color: var(--vscode-descriptionForeground); }
@media (forced-colors: active) { rect { stroke: CanvasText; } }
`;

export function html(p: Parts): string {
  const policy = `default-src 'none'; script-src 'nonce-${p.nonce}'; style-src 'nonce-${p.nonce}'; base-uri 'none'; form-action 'none'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Ralph loop</title>
<style nonce="${p.nonce}">${style}</style>
</head>
<body>
<main>
<h1><span id="title"></span> <span id="status" class="status" role="status" aria-live="polite"></span></h1>
<div id="actions" role="toolbar" aria-label="Steer the loop"></div>
<dl id="facts"></dl>
<h2 id="task-title">Task</h2>
<pre id="task" tabindex="0" aria-labelledby="task-title"></pre>
<h2 id="chart-title">Iterations</h2>
<div id="chart"></div>
<div id="table"></div>
</main>
<script nonce="${p.nonce}" src="${p.script}"></script>
</body>
</html>`;
}
