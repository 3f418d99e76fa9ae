import { createHash } from 'node:crypto';
import type { DayReport } from '../../model/report.ts';
import { fileOf, type ReportFile } from '../file.ts';
import { accountsPart } from './accounts.ts';
import { correctionsPart, eventsPart, reconciliationPart } from './books.ts';
import { busiestPart } from './busiest.ts';
import { definitionsPart } from './definitions.ts';
import { bandPart, figuresPart, pacePart, titlePart } from './head.ts';
import { heatPart } from './heat.ts';
import { Html, html } from './html.ts';
import { pageDataOf } from './page-data.ts';
import { attentionPart, refusalsPart } from './refusals.ts';
import { pageScript } from './script.ts';
import { pageStyle } from './style.ts';

/** A page's size, at most, with ten thousand accounts. */
export const pageMaxBytes = 5_000_000;

/** The section of all accounts without their rows, at most: its words, and the hours of each zone's day. */
const frameMaxBytes = 300_000;

/**
 * The report for people: one page that needs nothing else. It loads nothing, and its policy lets run only the one script and the
 * one style whose digests it names. The main figures are there without JavaScript.
 */
export function reportPage(report: DayReport): ReportFile {
  return fileOf('report.html', 'text/html; charset=utf-8', function* () {
    for (const part of partsOf(report)) yield part.text;
  });
}

function* partsOf(report: DayReport): Generator<Html> {
  const before = [headOf(report), titlePart(report), bandPart(report), figuresPart(report), pacePart(report)];
  const tables = [attentionPart(report), refusalsPart(report), busiestPart(report), heatPart(report)];
  const after = [correctionsPart(report), reconciliationPart(report), eventsPart(report), definitionsPart(report)];
  const end = new Html(`</main></div><script>${pageScript}</script></body></html>\n`);
  const fixed = [...before, ...tables, ...after, end];
  // What the other parts leave is for the accounts, less the frame of their section.
  const room = pageMaxBytes - fixed.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) - frameMaxBytes;
  yield* before;
  yield* tables;
  yield accountsPart(report, pageDataOf(report, room));
  yield* after;
  yield end;
}

/** The page's policy. Nothing is loaded or sent, and only these two texts run or style. */
function policy(): string {
  return [
    "default-src 'none'",
    `script-src '${digestOf(pageScript)}'`,
    `style-src '${digestOf(pageStyle)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

function digestOf(text: string): string {
  return `sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}`;
}

const contents: readonly (readonly [id: string, name: string])[] = [
  ['latency', 'Latency and backlog'],
  ['attention', 'Attention'],
  ['refusals', 'Refusals'],
  ['busiest', 'The busiest'],
  ['hours', 'By hour'],
  ['accounts', 'All accounts'],
  ['account-title', 'One account'],
  ['corrections', 'Corrections'],
  ['reconciliation', 'Reconciliation'],
  ['late', 'Late and repeated'],
  ['definitions', 'Definitions'],
];

function headOf({ date, timezone }: DayReport): Html {
  const links = contents.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`);
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>Quota report ${date}, ${timezone}</title>
<style>${new Html(pageStyle)}</style></head>
<body><a class="skip" href="#accounts">Skip to all accounts</a>
<div class="frame"><nav class="contents" aria-label="Sections"><ol>${links}</ol></nav>
<main>
`;
}
