// In a browser this opens iterations from the chart. In the editor extension it also sends
// what is clicked, takes new versions of the page, and keeps what is open and the place.
'use strict';
const editor = typeof acquireVsCodeApi === 'function' ? acquireVsCodeApi() : undefined;
const all = (selector) => [...document.querySelectorAll(selector)];

// A new page has what is open from the one before, and the editor's memory of it.
let kept = { ...editor?.getState() };
const keep = () => {
  kept = { ...kept, open: all('details[open]').map((d) => d.id), y: scrollY };
  editor?.setState(kept);
};

function show(open, y) {
  for (const d of all('details')) d.open = open.includes(d.id);
  for (const b of all('button.file')) b.disabled = !editor;
  scrollTo(0, y);
}

function openIteration(number) {
  const d = document.getElementById('iteration-' + number);
  if (!d) return;
  d.open = true;
  d.scrollIntoView({ block: 'nearest' });
  d.querySelector('summary').focus();
}

document.addEventListener('click', (e) => {
  const at = e.target.closest('[data-opens], [data-act], [data-file]');
  if (!at) return;
  const { opens, act, file, iteration } = at.dataset;
  e.preventDefault();
  if (opens) openIteration(opens);
  if (act) editor?.postMessage({ act });
  if (file) editor?.postMessage({ file: decodeURIComponent(file), iteration: Number(iteration) });
});

// The arrow keys move between the bars; Enter is a click.
document.addEventListener('keydown', (e) => {
  const bars = all('[data-opens]');
  const at = bars.indexOf(document.activeElement);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: bars.length - 1 }[e.key];
  if (at < 0 || !bars[to]) return;
  e.preventDefault();
  bars[to].focus();
});

addEventListener('message', (e) => {
  if (typeof e.data?.html !== 'string') return;
  const fresh = new DOMParser().parseFromString(e.data.html, 'text/html').querySelector('main');
  const { id } = document.activeElement ?? {};
  const inside = document.activeElement?.closest('details')?.id;
  keep();
  document.querySelector('main').replaceWith(fresh);
  show(kept.open, kept.y);
  (document.getElementById(id) ?? document.getElementById(inside)?.querySelector('summary'))?.focus({ preventScroll: true });
});

document.addEventListener('toggle', () => keep(), true);
addEventListener('scroll', () => keep());
if (editor) {
  document.body.classList.add('editor');
  const id = document.querySelector('main').dataset.loop;
  kept.id ??= id;
}
show(kept.open ?? all('details[open]').map((d) => d.id), kept.y ?? 0);
if (location.hash.startsWith('#iteration-')) openIteration(location.hash.slice('#iteration-'.length));
keep();
editor?.postMessage({ ready: true }); // it may have loaded an old page
