/** The page's style. Its colours keep a contrast of 4.5:1 at least, light and dark; no element has a style of its own. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --page: #fcfcfb; --ink: #1c2127; --muted: #57616c; --line: #dde1e5; --soft: #f2f4f5;
  --accent: #245a9c; --track: #e3e8ed; --warn: #94460d; --bad: #8f1d14; --bad-page: #fdf0ee; --bad-line: #d9776c; --good: #1b6641;
  --g1: #e9f0f9; --g2: #cfe0f2; --g3: #a9c8e8; --g4: #7aabd9; --g5: #245a9c; --gi: #fff;
  --r1: #faeee4; --r2: #f4dcc9; --r3: #e9bd9b; --r4: #d99a6c; --r5: #94460d; --ri: #fff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171a; --ink: #e6e9ec; --muted: #a3adb8; --line: #333a42; --soft: #1c2126;
    --accent: #86b6ee; --track: #2a3138; --warn: #f0b082; --bad: #ffb5aa; --bad-page: #341513; --bad-line: #a8463b; --good: #84d0a8;
    --g1: #1c2a3b; --g2: #213a57; --g3: #284c76; --g4: #315f95; --g5: #86b6ee; --gi: #10151b;
    --r1: #2d2119; --r2: #452f1f; --r3: #603f25; --r4: #7d4f2b; --r5: #f0b082; --ri: #1a120b;
  }
}
*, ::before, ::after { box-sizing: border-box; }
html { scroll-behavior: smooth; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
  font-variant-numeric: tabular-nums lining-nums;
}
.frame { max-width: 1240px; margin: 0 auto; padding: 28px 24px 64px; }
main { min-width: 0; }
h1 { font-size: 27px; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; margin: 0; }
h2 { font-size: 18px; line-height: 1.3; font-weight: 650; margin: 0 0 4px; }
h3 { font-size: 15px; font-weight: 650; margin: 20px 0 6px; }
p { margin: 0 0 10px; max-width: 76ch; }
section { margin-top: 44px; scroll-margin-top: 12px; }
a { color: var(--accent); text-underline-offset: 2px; text-decoration-thickness: 1px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
.lead, .note, caption { color: var(--muted); }
.note { font-size: 14px; }
.eyebrow { color: var(--muted); margin: 0 0 4px; font-size: 14px; }
.skip { position: absolute; left: -9999px; }
.skip:focus { left: 16px; top: 12px; background: var(--page); padding: 6px 10px; z-index: 2; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.id { overflow-wrap: anywhere; unicode-bidi: isolate; }
.contents { display: none; }

.facts { display: flex; flex-wrap: wrap; gap: 4px 28px; margin: 14px 0 0; padding: 0; font-size: 14px; }
.facts div { display: flex; gap: 8px; }
.facts dt { color: var(--muted); }
.facts dd { margin: 0; }
.state { font-weight: 650; }
.state-complete, .state-final { color: var(--good); }
.state-provisional { color: var(--warn); }

.band { margin-top: 24px; padding: 14px 18px; background: var(--bad-page); border: 1px solid var(--bad-line); border-left-width: 5px; border-radius: 4px; color: var(--bad); }
.band h2 { font-size: 16px; }
.band ul { margin: 4px 0 0; padding-left: 20px; }
.band p { margin: 6px 0 0; font-size: 14px; }
.band a { color: inherit; }

.figures { display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); margin: 32px 0 0; padding: 0; list-style: none; border: solid var(--line); border-width: 1px 0; }
.figures li { padding: 14px 16px 16px; border-left: 1px solid var(--line); min-width: 0; }
.figures li:first-child { border-left: 0; padding-left: 0; }
.figures b { display: block; font-size: 27px; line-height: 1.25; font-weight: 600; letter-spacing: -.02em; overflow-wrap: anywhere; }
.figures b.long { font-size: 18px; line-height: 1.9; letter-spacing: -.01em; }
.figures .name { color: var(--muted); font-size: 14px; }
.figures .change { font-size: 14px; }
.figures .was { color: var(--muted); display: block; }
ul.figures + .note { margin: 8px 0 0; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 0 40px; margin-top: 36px; }
.pair section { margin-top: 0; min-width: 0; }
.list { margin: 8px 0 0; display: grid; grid-template-columns: minmax(9em, auto) 1fr; gap: 0; font-size: 14px; }
.list dt, .list dd { margin: 0; padding: 6px 0; border-bottom: 1px solid var(--line); }
.list dt { color: var(--muted); padding-right: 16px; }

.scroll { overflow-x: auto; margin-top: 10px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
caption { text-align: left; padding: 0 0 6px; font-size: 14px; }
#account-live caption { color: var(--ink); font-weight: 650; padding-top: 14px; }
#account-live > button { margin-top: 18px; }
#accounts-table tbody th, #accounts-table tbody td { vertical-align: top; }
#accounts-table th.id, #accounts-table thead th:first-child, [aria-labelledby=corrections] th.id { min-width: 9em; }
th, td { padding: 6px 12px 6px 0; text-align: left; vertical-align: baseline; border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 2px; }
thead th { color: var(--muted); font-weight: 500; border-bottom-color: var(--muted); white-space: nowrap; vertical-align: bottom; }
tbody th { font-weight: 500; }
.n { text-align: right; white-space: nowrap; }
.muted { color: var(--muted); }
.warn { color: var(--warn); }
.bad { color: var(--bad); font-weight: 600; }
td.n + td:not(.n), th.n + th:not(.n) { padding-left: 16px; }
td time { white-space: nowrap; }
details { margin-top: 12px; font-size: 14px; }
td.chart { width: 42%; min-width: 110px; vertical-align: middle; }
.dense tbody th { min-width: 6.5em; }
.dense th, .dense td { padding-top: 3px; padding-bottom: 3px; }
.bar { display: block; width: 100%; height: 10px; overflow: visible; }
.bar .track { fill: var(--track); }
.bar .fill { fill: var(--accent); }
.bar .fill.warn { fill: var(--warn); }
.bar .tick { stroke: var(--ink); stroke-width: 2; vector-effect: non-scaling-stroke; }
.tags { display: flex; flex-wrap: wrap; gap: 2px 14px; margin: 0; padding: 0; list-style: none; }

.heat { width: auto; min-width: 100%; table-layout: auto; }
.heat th, .heat td { padding: 5px 1px; font-size: 12.5px; }
.heat td, .heat thead th { text-align: center; min-width: 33px; }
.heat thead th:first-child { text-align: left; }
.heat tbody th { padding-right: 12px; min-width: 110px; max-width: 220px; overflow-wrap: anywhere; }
.heat thead small { display: block; font-size: 11px; }
.heat td { border: 1px solid var(--page); border-radius: 3px; }
.h0 { color: var(--muted); }
.g1 { background: var(--g1); } .g2 { background: var(--g2); } .g3 { background: var(--g3); } .g4 { background: var(--g4); } .g5 { background: var(--g5); color: var(--gi); }
.r1 { background: var(--r1); } .r2 { background: var(--r2); } .r3 { background: var(--r3); } .r4 { background: var(--r4); } .r5 { background: var(--r5); color: var(--ri); }

.tools { display: flex; flex-wrap: wrap; gap: 10px 16px; align-items: end; margin: 10px 0 0; }
.tools label { font-size: 14px; color: var(--muted); display: grid; gap: 2px; }
input, select, button { font: inherit; color: inherit; background: var(--page); border: 1px solid var(--muted); border-radius: 4px; padding: 5px 10px; min-height: 36px; }
input[type=search] { width: 20em; max-width: 100%; }
button { cursor: pointer; }
button[aria-disabled=true] { color: var(--muted); border-color: var(--line); cursor: default; }
thead th button { border: 0; padding: 0; min-height: 28px; background: none; color: var(--muted); font-weight: 500; font-size: 14px; }
thead th.n button { margin-left: auto; }
thead th button::after { content: "\\2195"; margin-left: 4px; opacity: .55; }
th[aria-sort=ascending] button, th[aria-sort=descending] button { color: var(--ink); font-weight: 650; }
th[aria-sort=ascending] button::after { content: "\\2191"; opacity: 1; }
th[aria-sort=descending] button::after { content: "\\2193"; opacity: 1; }
.open { border: 0; padding: 0; min-height: 0; background: none; color: var(--accent); text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: 2px; text-align: left; overflow-wrap: anywhere; }
.status { margin: 0; font-size: 14px; color: var(--muted); }
.columns { display: grid; grid-template-columns: 1fr 1fr; gap: 0 40px; }
.columns > div { min-width: 0; }
[hidden] { display: none !important; }

@media screen and (min-width: 1180px) {
  .frame { display: grid; grid-template-columns: 176px minmax(0, 1fr); gap: 0 44px; }
  .contents { display: block; font-size: 14px; }
  .contents ol { position: sticky; top: 28px; margin: 4px 0 0; padding: 0; list-style: none; }
  .contents a { display: block; padding: 3px 0; color: var(--muted); text-decoration: none; }
  .contents a:hover { color: var(--ink); text-decoration: underline; }
}
@media screen and (max-width: 760px) {
  .frame { padding: 18px 16px 48px; }
  h1 { font-size: 22px; }
  .figures { grid-template-columns: 1fr 1fr; border-bottom: 0; }
  .figures li, .figures li:first-child { border-left: 0; border-bottom: 1px solid var(--line); padding: 10px 8px 12px 0; }
  .figures li:first-child { grid-column: 1 / -1; }
  .figures b { font-size: 23px; }
  .figures li:first-child b { font-size: 30px; line-height: 1.25; }
  .pair, .columns { grid-template-columns: 1fr; }
  .pair section + section { margin-top: 32px; }
  .facts { display: grid; gap: 3px; }
  .wide { display: none; }
  td.chart { min-width: 72px; width: 30%; }
  .heat tbody th, .heat thead th:first-child { width: 104px; min-width: 104px; position: sticky; left: 0; background: var(--page); }
  .tools label, input[type=search] { width: 100%; }
}
@media print {
  :root { --page: #fff; --ink: #000; --muted: #444; --line: #bbb; --soft: #fff; --accent: #245a9c; --track: #ddd; --warn: #94460d; --bad: #8f1d14; --bad-page: #fff; --bad-line: #8f1d14; --good: #1b6641;
    --g1: #e9f0f9; --g2: #cfe0f2; --g3: #a9c8e8; --g4: #7aabd9; --g5: #245a9c; --gi: #fff; --r1: #faeee4; --r2: #f4dcc9; --r3: #e9bd9b; --r4: #d99a6c; --r5: #94460d; --ri: #fff; }
  @page { margin: 14mm 12mm; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { font-size: 10pt; }
  table, .note, caption, .facts, .list { font-size: 9pt; }
  .frame { display: block; max-width: none; padding: 0; }
  .contents, .skip, .screen { display: none; }
  section { margin-top: 22pt; }
  .scroll { overflow: visible; }
  tr, .figures, .band { break-inside: avoid; }
  .figures b { font-size: 16pt; white-space: nowrap; }
  .figures b.long { font-size: 11pt; }
  .figures li { padding: 6pt 4pt 7pt 8pt; }
  .figures .name, .figures .change { font-size: 8.5pt; white-space: nowrap; }
  .pair { margin-top: 20pt; }
  h2, h3, caption, h2 + .note { break-after: avoid; }
  p { break-inside: avoid; }
  thead { display: table-header-group; }
  thead th, thead th.n { white-space: normal; }
  .columns td.chart { min-width: 0; width: 25%; }
  th, td { padding-top: 2.5pt; padding-bottom: 2.5pt; }
  .heat { table-layout: fixed; width: 100%; }
  .heat thead th:first-child { width: 15%; }
  .heat td, .heat th, .heat thead small { font-size: 6.2pt; padding: 2pt 0; min-width: 0; }
  .heat tbody th { min-width: 0; max-width: none; }
  .heat thead small { writing-mode: vertical-rl; margin: 0 auto; }
  a { color: inherit; text-decoration: none; }
  :focus-visible { outline: none; }
  .print-account .report-part { display: none; }
  .print-account #account { margin-top: 0; }
}
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
`;
