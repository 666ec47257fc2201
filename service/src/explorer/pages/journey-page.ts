import { type Html, html, tableHtml } from '../../../../src/export/html/html.ts';
import type { QueryRow } from '../../../../src/load/query/query.ts';
import type { Chain } from '../facts/activity-filter.ts';
import { numberIn, textIn } from '../facts/cells.ts';
import type { JourneyFacts } from '../facts/journey-facts.ts';
import type { ShownNames } from '../facts/names.ts';
import { note, type PageContent } from './frame.ts';
import {
  addressLinks,
  amountPart,
  blockLink,
  coverageText,
  facts,
  hashLink,
  statusPart,
  timeText,
  tokenLink,
} from './parts.ts';

/** Cross-chain transfers of one transaction, each with both legs. */
export function journeyPage(facts: JourneyFacts, names: ShownNames): PageContent {
  const { journeys, isCut, hash } = facts;
  const cut = isCut ? note('There are more transfers than this page lists.') : html``;
  return {
    title: `Journey ${hash}`,
    searched: hash,
    body: html`<h1>Cross-chain journey <code>${hash}</code></h1>${cut}
${journeys.map((row, i) => journeyPart(row, facts, names, journeys[1] ? `${i + 1}. ` : ''))}`,
  };
}

function journeyPart(row: QueryRow, chains: JourneyFacts, names: ShownNames, place: string): Html {
  const isToZone = textIn(row, 'direction') === 'MainToZone';
  const legs = [legPart('primary', row, chains, names), legPart('zone', row, chains, names)];
  return html`<section>
<h2>${place}${textIn(row, 'cross_type') ?? 'Transfer'}: ${directionWords(row)}</h2>
${facts([
  ['Status', statusPart(textIn(row, 'cross_status'))],
  ['From', addressLinks(textIn(row, 'source_address'), names)],
  ['To', addressLinks(textIn(row, 'target_address'), names)],
  ['Amount', amountPart(textIn(row, 'amount_text'))],
  ['Token', journeyToken(row, names)],
  ['Departed (UTC)', timeText(textIn(row, 'departed_at'))],
  ['Arrived (UTC)', timeText(textIn(row, 'arrived_at'))],
  ['Duration', durationText(numberIn(row, 'latency_seconds'))],
  ['Coverage of this record', coverageText(textIn(row, 'coverage_status'))],
])}
<div class="legs">${isToZone ? legs : legs.reverse()}</div></section>`;
}

function directionWords(row: QueryRow): string {
  const direction = textIn(row, 'direction');
  if (direction === 'MainToZone') return 'primary chain to zone chain';
  return direction === 'ZoneToMain' ? 'zone chain to primary chain' : 'direction unknown';
}

function durationText(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : `${seconds} s`;
}

const UNMATCHED: Readonly<Record<string, string>> = {
  'not named': 'The record does not name this leg.',
  'not exported': 'This leg was not exported, so it cannot be shown.',
  missing:
    'This leg should be in the exported blocks, but it is missing: windrow check reports it.',
};

function legPart(chain: Chain, row: QueryRow, chains: JourneyFacts, names: ShownNames): Html {
  const side = chain === 'primary' ? 'main' : 'zone';
  const hash = textIn(row, `${side}_tx_hash`);
  const transaction = (chain === 'primary' ? chains.main : chains.zone).get(hash ?? '');
  const unmatched = textIn(row, `${side}_unmatched`);
  const why = unmatched === undefined ? html`` : note(UNMATCHED[unmatched] ?? unmatched);
  return html`<div class="leg"><h3>Leg on the ${chain} chain</h3>${why}${facts([
    ['Transaction', hashLink(hash)],
    ['Block', blockLink(chain, textIn(row, `${side}_block_number`))],
    ['Time (UTC)', timeText(textIn(row, `${side}_block_time`))],
    ['Status', statusPart(textIn(row, `${side}_status`))],
    ['Sender', transaction && addressLinks(textIn(transaction, 'from_address'), names)],
    ['Recipient', transaction && addressLinks(textIn(transaction, 'to_address'), names)],
    ['Action', transaction && textIn(transaction, 'action_type')],
    ['Coverage', transaction && coverageText(textIn(transaction, 'coverage_status'))],
  ])}</div>`;
}

/** Cross-chain transfers in short. */
export function journeysTable(rows: readonly QueryRow[], names: ShownNames): Html {
  const cells = rows.map((row) => [
    textIn(row, 'cross_type') ?? null,
    directionWords(row),
    addressLinks(textIn(row, 'source_address'), names),
    addressLinks(textIn(row, 'target_address'), names),
    amountPart(textIn(row, 'amount_text')),
    journeyToken(row, names),
    statusPart(textIn(row, 'cross_status')),
    hashLink(textIn(row, 'main_tx_hash')),
    hashLink(textIn(row, 'zone_tx_hash')),
  ]);
  const columns = ['type', 'direction', 'from', 'to', 'amount', 'token', 'status'];
  return tableHtml({
    caption: 'Cross-chain transfers that name the transaction',
    columns: [...columns, 'primary transaction', 'zone transaction'],
    rows: cells,
    numbers: ['amount'],
  });
}

function journeyToken(row: QueryRow, names: ShownNames): Html {
  return tokenLink({ ...row, symbol: row['token_name'] }, names);
}
