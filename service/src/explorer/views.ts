import { reconciliationMatrix } from '../../../src/load/query/reconciled.ts';
import { CHAINS, type Chain } from './facts/activity-filter.ts';
import { addressFacts } from './facts/address-facts.ts';
import { blockFacts } from './facts/block-facts.ts';
import { textIn } from './facts/cells.ts';
import { findPages, NATURAL_ORDER } from './facts/found.ts';
import { journeyFacts } from './facts/journey-facts.ts';
import { namesOf } from './facts/names.ts';
import { tokenFacts } from './facts/token-facts.ts';
import { transactionFacts } from './facts/transaction-facts.ts';
import type { WarehouseSession } from './facts/warehouse-reader.ts';
import { PageProblem } from './page-problem.ts';
import { addressPage } from './pages/address-page.ts';
import { blockPage } from './pages/block-page.ts';
import type { PageContent } from './pages/frame.ts';
import { journeyPage } from './pages/journey-page.ts';
import { hitsPage, MOST_ADDRESSES, reconciliationPage, startPage } from './pages/start-page.ts';
import { tokenPage } from './pages/token-page.ts';
import { addressesNamed, transactionPage } from './pages/transaction-page.ts';
import {
  ACTIVITY_PARAMETERS,
  activityFilter,
  type Parameters,
  placeIn,
  skipIn,
} from './parameters.ts';

/** The parts of a path that its pattern captures, in lower case. */
type Captured = readonly string[];

/** A page, or the path of another one. */
export type Shown = PageContent | { readonly redirect: string };

/** A kind of page: its paths below /explore, its parameters and its content. */
export interface View {
  readonly path: RegExp;
  readonly parameters: readonly string[];
  /** Reads the parameters. It throws PageProblem(400), and reads nothing of the lake. */
  readonly prepare: (
    captured: Captured,
    parameters: Parameters,
  ) => (session: WarehouseSession) => Promise<Shown>;
}

const ADDRESS = '(0x[0-9a-fA-F]{40})';
const HASH = '(0x[0-9a-fA-F]{64})';

/** Throws PageProblem(404) where the lake has nothing. */
function requireFacts<T>(facts: T | undefined, thing: string, searched: string): T {
  if (facts !== undefined) return facts;
  throw new PageProblem(
    404,
    `No such ${thing} in this lake`,
    'The lake holds a part of the chain: it may exist outside of the coverage below.',
    searched,
  );
}

export const VIEWS: readonly View[] = [
  {
    path: /^$/,
    parameters: [],
    prepare:
      () =>
      async ({ ask }) => {
        const addresses = await ask(
          `SELECT address, label FROM known.followed LEFT JOIN lake.labels USING (address)
         ORDER BY ${NATURAL_ORDER} NULLS LAST, label, address LIMIT ${MOST_ADDRESSES + 1}`,
        );
        const tables = await ask(
          'SELECT chain, dataset, rows FROM lake.tables ORDER BY chain, dataset LIMIT 100',
        );
        return startPage(addresses, tables);
      },
  },
  {
    path: /^\/search$/,
    parameters: ['q'],
    prepare:
      (_, parameters) =>
      async ({ ask }) => {
        const searched = (parameters.get('q') ?? '').slice(0, 200);
        const hits = await findPages(ask, searched);
        const [first, ...others] = hits;
        const hit = requireFacts(first, 'address, hash, block or label', searched);
        return others.length === 0
          ? { redirect: `/explore/${hit.path}` }
          : hitsPage(searched, hits);
      },
  },
  {
    path: /^\/reconciliations$/,
    parameters: [],
    prepare:
      () =>
      async ({ ask }) =>
        reconciliationPage(await reconciliationMatrix(ask)),
  },
  {
    path: new RegExp(`^/address/${ADDRESS}$`),
    parameters: ACTIVITY_PARAMETERS,
    prepare: ([address = ''], parameters) => {
      const filter = activityFilter(address, parameters);
      const place = placeIn(parameters);
      return async (session) => addressPage(await addressFacts(session, filter, place));
    },
  },
  {
    path: new RegExp(`^/tx/${HASH}$`),
    parameters: [],
    prepare:
      ([hash = '']) =>
      async ({ ask }) => {
        const facts = requireFacts(await transactionFacts(ask, hash), 'transaction', hash);
        return transactionPage(facts, await namesOf(ask, addressesNamed(facts)));
      },
  },
  {
    path: new RegExp(`^/journey/${HASH}$`),
    parameters: [],
    prepare:
      ([hash = '']) =>
      async ({ ask }) => {
        const facts = requireFacts(await journeyFacts(ask, hash), 'cross-chain journey', hash);
        const rows = [...facts.journeys, ...facts.main.values(), ...facts.zone.values()];
        const columns = ['source_address', 'target_address', 'from_address', 'to_address'];
        const named = rows.flatMap((row) =>
          [...columns, 'token_address'].map((column) => textIn(row, column)),
        );
        return journeyPage(facts, await namesOf(ask, named));
      },
  },
  {
    path: new RegExp(`^/block/(${CHAINS.join('|')})/([0-9]{1,15})$`),
    parameters: ['skip'],
    prepare: ([chain = '', height = ''], parameters) => {
      const skip = skipIn(parameters);
      return async ({ ask }) => {
        const read = await blockFacts(ask, chain as Chain, Number(height), skip);
        const facts = requireFacts(read, `block of the ${chain} chain`, height);
        const rows =
          facts.block === undefined ? facts.transactions : [facts.block, ...facts.transactions];
        const columns = ['from_address', 'to_address', 'miner'];
        const named = rows.flatMap((row) => columns.map((column) => textIn(row, column)));
        return blockPage(facts, await namesOf(ask, named));
      };
    },
  },
  {
    path: new RegExp(`^/token/${ADDRESS}$`),
    parameters: ['at'],
    prepare: ([token = ''], parameters) => {
      const place = placeIn(parameters);
      return async (session) => tokenPage(await tokenFacts(session, token, place));
    },
  },
];
