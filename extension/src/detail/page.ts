// Runs in the detail page. All data becomes text nodes; there is no innerHTML.
import type { FromPage, Model, Row } from './model';

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void };

const code = acquireVsCodeApi();
const byId = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;

function el<K extends keyof HTMLElementTagNameMap>(name: K, text = '', attributes: Record<string, string> = {}): HTMLElementTagNameMap[K] {
  const e = document.createElement(name);
  if (text !== '') e.textContent = text;
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  return e;
}

function svg(name: string, attributes: Record<string, string | number>, text = ''): SVGElement {
  const e = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, String(value));
  if (text !== '') e.textContent = text;
  return e;
}

const width = 1000;
const height = 180;
const floor = 155;

// chart has a bar for each iteration, as high as it took long. The arrow keys move
// between bars; Enter opens the details in the table.
function chart(rows: Row[]): Element {
  if (rows.length === 0) return el('p', 'No iteration has ended yet.', { class: 'empty' });
  const longest = Math.max(...rows.map((r) => r.seconds), 1);
  const step = width / Math.max(rows.length, 8);
  const root = svg('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'group', 'aria-labelledby': 'chart-title' });
  root.append(svg('line', { class: 'axis', x1: 0, y1: floor, x2: width, y2: floor }));
  rows.forEach((r, i) => {
    const high = Math.max(3, (r.seconds / longest) * (floor - 15));
    const bar = svg('rect', { class: r.promise, x: i * step + step * 0.1, y: floor - high, width: step * 0.8, height: high, role: 'img', tabindex: i === rows.length - 1 ? 0 : -1, 'data-n': r.number, 'aria-label': `Iteration ${r.number}: ${r.outcome}` });
    bar.append(svg('title', {}, `Iteration ${r.number}: ${r.outcome}`));
    root.append(bar);
    if (rows.length <= 30 || r.number % 5 === 0) root.append(svg('text', { x: i * step + step / 2, y: floor + 16, 'text-anchor': 'middle', 'aria-hidden': 'true' }, String(r.number)));
  });
  root.addEventListener('keydown', (e) => moved(e as KeyboardEvent, root));
  return root;
}

function moved(e: KeyboardEvent, root: Element): void {
  const bars = [...root.querySelectorAll('rect')];
  const at = bars.indexOf(document.activeElement as SVGRectElement);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: bars.length - 1 }[e.key];
  if (e.key === 'Enter' && at >= 0) {
    e.preventDefault(); // or it would close them again
    openDetails(bars[at]?.dataset['n'] ?? '');
  }
  const next = to === undefined ? undefined : bars[to];
  if (!next) return;
  e.preventDefault();
  for (const bar of bars) bar.setAttribute('tabindex', '-1');
  next.setAttribute('tabindex', '0');
  next.focus();
}

function openDetails(n: string): void {
  const d = document.querySelector<HTMLDetailsElement>(`#row-${n} details`);
  if (!d) return;
  d.open = true;
  d.querySelector('summary')?.focus();
}

function table(rows: Row[]): Element {
  const t = el('table');
  t.append(el('caption', 'The iterations, the newest first. The higher a bar, the longer the iteration took.'));
  const head = el('tr');
  for (const name of ['#', 'Started', 'Took', 'Tool calls', 'Files', 'Promise', 'Details']) head.append(el('th', name, { scope: 'col' }));
  const body = el('tbody');
  for (const r of [...rows].reverse()) body.append(tableRow(r));
  const thead = el('thead');
  thead.append(head);
  t.append(thead, body);
  return t;
}

function tableRow(r: Row): Element {
  const tr = el('tr', '', { id: `row-${r.number}` });
  tr.append(el('th', String(r.number), { scope: 'row' }));
  for (const text of [r.when, r.took, String(r.calls), String(r.files.length), r.promise]) tr.append(el('td', text));
  const cell = el('td');
  cell.append(details(r));
  tr.append(cell);
  return tr;
}

function details(r: Row): Element {
  const d = el('details', '', { 'data-n': String(r.number) });
  d.append(el('summary', r.promise === 'refused' ? 'Why it was refused' : 'Show', { 'aria-label': `Details of iteration ${r.number}` }));
  if (r.tools !== '') d.append(el('p', `Tools: ${r.tools}`));
  for (const file of r.files) {
    const b = el('button', file, { class: 'link', type: 'button' });
    b.addEventListener('click', () => code.postMessage({ type: 'open', file, iteration: r.number }));
    d.append(b);
  }
  for (const m of r.more) d.append(el('p', m.title), el('pre', m.text, { tabindex: '0', 'aria-label': m.title }));
  return d;
}

// show draws a model, and keeps open what was open, and the focus.
function show(m: Model): void {
  const open = new Set([...document.querySelectorAll('details[open]')].map((d) => d.getAttribute('data-n')));
  const focus = keyOf(document.activeElement);
  byId('title').textContent = m.title;
  if (byId('status').textContent !== m.status) byId('status').textContent = m.status;
  byId('task').textContent = m.task;
  byId('facts').replaceChildren(...m.facts.flatMap((f) => [el('dt', f.name), el('dd', f.value)]));
  byId('actions').replaceChildren(...m.actions.map(actionButton));
  byId('chart').replaceChildren(chart(m.rows));
  byId('table').replaceChildren(...(m.rows.length > 0 ? [table(m.rows)] : []));
  for (const d of document.querySelectorAll('details')) if (open.has(d.getAttribute('data-n'))) d.open = true;
  if (focus) document.querySelector<HTMLElement>(focus)?.focus();
}

function actionButton(a: { command: string; title: string }): Element {
  const b = el('button', a.title, { type: 'button', 'data-command': a.command });
  b.addEventListener('click', () => code.postMessage({ type: 'act', command: a.command }));
  return b;
}

function keyOf(e: Element | null): string | undefined {
  const command = e?.getAttribute('data-command');
  if (command) return `[data-command="${command}"]`;
  if (e?.tagName === 'rect') return `rect[data-n="${e.getAttribute('data-n')}"]`;
  if (e?.tagName === 'SUMMARY') return `details[data-n="${e.parentElement?.getAttribute('data-n')}"] > summary`;
  return e?.id ? `#${e.id}` : undefined;
}

addEventListener('message', (e: MessageEvent<{ type?: string; model?: Model }>) => {
  if (e.data.type === 'show' && e.data.model) show(e.data.model);
});
code.postMessage({ type: 'ready' });
