import { parseHTML } from 'linkedom';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  BLOCK_HASH,
  type Explored,
  exploredLake,
  GIFT,
  hashOf,
  MAIN_HASH,
  OTHER,
  OWN,
  RICH,
  TOKEN,
  ZONE_HASH,
} from '../../../../test/fixtures/explored-lake.ts';
import { whenOver } from '../../../../test/fixtures/when-over.ts';

/** Goal: the pages about a lake show its records, and say how complete they are. */

let explored: Explored;
beforeAll(async () => {
  explored = await exploredLake();
  whenOver(() => explored.close());
});

async function page(target: string) {
  const [path = '', search = ''] = target.split('?');
  const { status, headers, body } = await explored.explorer.answer(path, search);
  const { document } = parseHTML(body);
  const text = (document.querySelector('main')?.textContent ?? '').replace(/\s+/g, ' ');
  return { status, headers, body, document, text };
}

type Document = Awaited<ReturnType<typeof page>>['document'];

/** The cells of the table with this caption, by column. */
function rowsOf(document: Document, caption: RegExp): Record<string, string>[] {
  const tables = [...document.querySelectorAll('table')];
  const table = tables.find((entry) =>
    caption.test(entry.querySelector('caption')?.textContent ?? ''),
  );
  const names = [...(table?.querySelectorAll('th') ?? [])].map((entry) => entry.textContent ?? '');
  return [...(table?.querySelectorAll('tbody tr') ?? [])].map((row) => {
    // An amount of more than 24 digits is shortened, and opens to its exact text.
    for (const summary of row.querySelectorAll('summary')) {
      expect(summary.textContent?.replace(/\D/g, '').length).toBeLessThanOrEqual(24);
      summary.remove();
    }
    const cells = [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '');
    return Object.fromEntries(
      names.map((name, i) => [name, (cells[i] ?? '').replace(/\s+/g, ' ').trim()]),
    );
  });
}

describe('every page', () => {
  it.each([
    ['/'],
    ['/explore'],
    [`/explore/address/${OWN}`],
    [`/explore/address/${OTHER}?chain=zone`],
    [`/explore/tx/${MAIN_HASH}`],
    [`/explore/tx/${hashOf(77)}`],
    [`/explore/block/primary/10`],
    [`/explore/journey/${ZONE_HASH}`],
    [`/explore/token/${TOKEN}`],
    ['/explore/search?q=nothing'],
  ])(
    '%s states the coverage of the lake, runs no script and needs no style of its parts',
    async (target) => {
      const { body, headers, document } = await page(target);
      const foot = document.querySelector('footer')?.textContent ?? '';
      expect(foot).toContain('primary chain: blocks 0 to 99 were requested for 2 addresses');
      expect(headers['content-security-policy']).toContain(
        "default-src 'none'; style-src 'sha256-",
      );
      expect(body).not.toMatch(/<script|\sstyle="|\son\w+="|https?:\/\//);
      expect(document.querySelectorAll('h1')).toHaveLength(1);
    },
  );
});

describe('the page of an address', () => {
  it('lists every leg once, over all of its pages', async () => {
    let target: string | null | undefined = `/explore/address/${OWN}`;
    const listed: string[] = [];
    for (let pages = 0; pages < 10 && typeof target === 'string'; pages += 1) {
      const { document } = await page(target);
      const rows = rowsOf(document, /^Legs/);
      listed.push(...rows.map((row) => `${row['block']} ${row['leg']} ${row['amount']}`));
      target = document.querySelector('a[rel=next]')?.getAttribute('href');
    }
    const wanted = await explored.small.rows(
      `SELECT block_number || ' ' || leg || ' ' || direction AS leg FROM address_activity
       WHERE address = '${OWN}' AND axis = 'primary'`,
    );
    expect(listed).toHaveLength(wanted.length);
    expect(listed.map((entry) => entry.split(' ').slice(0, 3).join(' ')).sort()).toEqual(
      wanted.map(([leg]) => String(leg)).sort(),
    );
  });

  it('shows exact nets after each block, also for amounts that fit no number', async () => {
    let target: string | null | undefined = `/explore/address/${OWN}?token=${TOKEN}`;
    const shown = new Map<string, string>();
    for (let pages = 0; pages < 10 && typeof target === 'string'; pages += 1) {
      const { document } = await page(target);
      for (const row of rowsOf(document, /^Legs/)) {
        shown.set(row['block'] ?? '', (row['net after block'] ?? '').replaceAll(',', ''));
      }
      target = document.querySelector('a[rel=next]')?.getAttribute('href');
    }
    const wanted = await explored.small.rows(
      `SELECT CAST(block_number AS VARCHAR), (
         SELECT exact_sum(signed_text) FROM address_activity AS earlier
         WHERE earlier.address = '${OWN}' AND earlier.token_address = '${TOKEN}'
           AND earlier.axis = 'primary' AND earlier.block_number <= blocks.block_number)
       FROM (SELECT DISTINCT block_number FROM address_activity
         WHERE address = '${OWN}' AND token_address = '${TOKEN}' AND axis = 'primary') AS blocks`,
    );
    expect(wanted).toHaveLength(10);
    expect([...shown].sort()).toEqual(wanted.map(([at, sum]) => [at, sum]).sort());
  });

  it('says where the opening balance is unknown, and where it is zero', async () => {
    const { document, text } = await page(`/explore/address/${OWN}`);
    expect(text).toContain('complete: blocks 0 to 99');
    const opening = rowsOf(document, /by number of legs/).map((row) => row['opening balance']);
    expect(opening[0]).toMatch(/^unknown/);
    // More went out than came in, so there was something before.
    expect(opening[1]).toBe('unknown');
    const rich = rowsOf((await page(`/explore/address/${RICH}`)).document, /by number of legs/);
    const nets = rich.map((row) => [row['net']?.replaceAll(',', ''), row['opening balance']]);
    expect(nets).toEqual([[GIFT, 'zero']]);
    const other = await page(`/explore/address/${OTHER}`);
    expect(other.text).toContain('was not requested by name');
  });

  it.each([
    ['kind=token', 40],
    ['kind=token&direction=in', 13],
    ['kind=fee', 40],
    [`token=${TOKEN.toUpperCase().replace('0X', '0x')}`, 40],
    ['token=native&from=10&to=10', 11],
    ['from=1970-01-01&to=2023-11-14', 123],
    ['from=2023-11-15', 0],
    ['kind=token&from=&to=&direction=&token=', 40],
  ])('with %s has %d legs', async (filter, legs) => {
    const { text } = await page(`/explore/address/${OWN}?${filter}`);
    expect(text).toContain(legs === 0 ? 'The lake has no such legs' : `${legs} legs in blocks`);
  });

  it('shows no nets where a filter leaves gaps', async () => {
    const { document } = await page(`/explore/address/${OWN}?kind=token`);
    expect(rowsOf(document, /^Legs/)[0]).not.toHaveProperty('net after block');
  });
});

describe('other pages', () => {
  it('show a transaction with its calls and transfers, and their coverage', async () => {
    const { document, text } = await page(`/explore/tx/${MAIN_HASH}`);
    expect(rowsOf(document, /order/).map((row) => row['amount'])).toContain('5');
    expect(text).toContain('All internal calls of this transaction are exported.');
    expect(text).toContain('Only those token transfers are here');
    expect(text).toContain('Both legs on one page');
    const other = await page(`/explore/tx/${hashOf(2)}`);
    expect(other.text).toContain('Only those internal calls are here');
  });

  it('show a journey with both legs', async () => {
    const { document, text } = await page(`/explore/journey/${MAIN_HASH}`);
    const legs = [...document.querySelectorAll('.leg h3')].map((entry) => entry.textContent);
    expect(legs).toEqual(['Leg on the primary chain', 'Leg on the zone chain']);
    expect(text).toContain('primary chain to zone chain');
  });

  it('show a block, and say that it may have more transactions', async () => {
    const { document, text } = await page('/explore/block/primary/10');
    expect(rowsOf(document, /exported transactions/)).toHaveLength(4);
    expect(text).toContain('there may be more');
  });

  it('show the transfers of a token', async () => {
    const { text } = await page(`/explore/token/${TOKEN}`);
    expect(text).toContain('Exported transfers41');
  });
});

describe('a search', () => {
  it.each([
    [OWN.toUpperCase().replace('0X', '0x'), `/explore/address/${OWN}`],
    [` ${MAIN_HASH}`, `/explore/tx/${MAIN_HASH}`],
    [ZONE_HASH, `/explore/tx/${ZONE_HASH}`],
    [BLOCK_HASH, '/explore/block/primary/10'],
    ['11', '/explore/block/primary/11'],
  ])('for %s leads to its page', async (text, target) => {
    const { status, headers } = await page(`/explore/search?q=${encodeURIComponent(text)}`);
    expect([status, headers['location']]).toEqual([303, target]);
  });
});

describe('refusals', () => {
  it.each([
    ['/explore/nothing', 404],
    ['/explore/tx/0x1', 404],
    [`/explore/tx/${hashOf(999)}`, 404],
    ['/explore/block/primary/99999', 404],
    [`/explore/journey/${hashOf(999)}`, 404],
    [`/explore/address/${OWN}?chain=other`, 400],
    [`/explore/address/${OWN}?kind=zone`, 400],
    [`/explore/address/${OWN}?token=0x1`, 400],
    [`/explore/address/${OWN}?from=yesterday`, 400],
    [`/explore/address/${OWN}?at=-1`, 400],
    [`/explore/address/${OWN}?at=1-9999999`, 400],
    [`/explore/address/${OWN}?chain=zone&chain=zone`, 400],
    [`/explore/address/${OWN}?rows=1000000`, 400],
    ['/explore/block/primary/10?skip=x', 400],
  ])('%s is %d', async (target, status) => {
    expect((await page(target)).status).toBe(status);
  });
});
