const HEIGHTS = ['test/unit/fetch/walk/heights/walk-heights.test.ts'];
const OVERFLOW = ['test/unit/fetch/walk/heights/overflowing-heights.test.ts'];
const SIZES = ['test/unit/fetch/walk/heights/page-sizes.test.ts'];
const PAGES = ['test/unit/fetch/walk/walk-pages.test.ts'];
const TEXTS = ['test/unit/catalogue/reply-text.test.ts'];
const LISTING = ['test/unit/fetch/walk/repeated-listing.test.ts'];

/**
 * The guards on lists that are read by their pages, and on how often they list a record.
 *
 * @type {readonly import('./guards.d.mts').Guard[]}
 */
export const PAGE_GUARDS = [
  {
    name: 'lists that a reply names twice',
    file: 'src/catalogue/reply-text.ts',
    text: "if (mentions !== 1 || rest.includes('\\\\')) return undefined;",
    without: '',
    tests: TEXTS,
  },
  {
    name: 'digits that a cast would round',
    file: 'src/catalogue/column-kind.ts',
    text: "pattern: '(?:0|[1-9][0-9]*)(?:\\\\.[0-9]{1,18})?',",
    without: "pattern: '(?:0|[1-9][0-9]*)(?:\\\\.[0-9]+)?',",
    tests: ['test/property/record-texts.test.ts'],
  },
  {
    name: 'equal rows whose texts are spelled differently',
    file: 'src/land/rows/decode.ts',
    text: "return text === '' ? null : (kind.decode(text)[0] ?? null);",
    without: "return text === '' || kind === undefined ? null : text;",
    tests: ['test/unit/land/rows/text-content.test.ts'],
  },
  {
    name: 'two page sizes',
    file: 'src/fetch/walk/heights/walk-pages.ts',
    text: 'if (!isWhole || (!isSame && settings.acceptCap !== true)) {',
    without: 'if (!isWhole) {',
    tests: [...OVERFLOW, ...PAGES],
  },
  {
    name: 'count of a list that is read once',
    file: 'src/fetch/walk/heights/walk-pages.ts',
    text: 'if ((await countOf(reading)) !== records.length) return false;',
    without: 'if ((await countOf(reading)) === -1) return false;',
    tests: OVERFLOW,
  },
  {
    name: 'equal records in a list that is read once',
    file: 'src/fetch/walk/heights/walk-pages.ts',
    text: 'if (new Records(endpoint, records).distinct().length < records.length) return false;',
    without: '',
    tests: OVERFLOW,
  },
  {
    name: 'sides of one key that have more than its list',
    file: 'src/fetch/walk/heights/key-sides.ts',
    text: 'return sent + received - onBoth.length > listed;',
    without: 'return sent + received - onBoth.length < 0;',
    tests: OVERFLOW,
  },
  {
    name: 'counts of sides that a service ignores',
    file: 'src/fetch/walk/heights/walk-pages.ts',
    text: 'return limit === 1 && isOfList ? totalPage : undefined;',
    without: 'return limit === 1 ? totalPage : undefined;',
    tests: OVERFLOW,
  },
  {
    name: 'busy keys asked alone',
    file: 'src/fetch/walk/heights/fetch-listed.ts',
    text: 'return isSplit ? groups : [keys.slice(0, middle), keys.slice(middle)];',
    without: 'return isSplit ? [keys.slice(0, middle), keys.slice(middle)] : groups;',
    tests: OVERFLOW,
  },
  {
    name: 'known records of a crowded height',
    file: 'src/fetch/walk/heights/walk-pages.ts',
    text: 'lacks(reading.known ?? []) !== undefined',
    without: 'lacks([]) !== undefined',
    tests: OVERFLOW,
  },
  {
    name: 'groups of keys list known records',
    file: 'src/fetch/walk/heights/fetch-listed.ts',
    text: 'const known = new Records(endpoint, (reading.known ?? []).filter(isDue)).distinct();',
    without: 'const known = new Records(endpoint, [].filter(isDue)).distinct();',
    tests: OVERFLOW,
  },
  {
    name: 'keys beside the busy ones',
    file: 'src/fetch/walk/heights/fetch-listed.ts',
    text: 'const groups = [...keys.filter(isBusy).map((key) => [key]), others];',
    without: 'const groups = [...keys.filter(isBusy).map((key) => [key])];',
    tests: [...OVERFLOW, ...PAGES],
  },
  {
    name: 'own records on both sides',
    file: 'src/fetch/walk/heights/key-sides.ts',
    text: 'received.filter((record) => !isOn(sides.from, record))',
    without: 'received',
    tests: OVERFLOW,
  },
  {
    name: 'a repeated page of a list without counts is requested again',
    file: 'src/fetch/walk/read-to-the-end.ts',
    text: 'const isEnd = reply === undefined || (isBare && isListed(reply.records));',
    without: 'const isEnd = reply === undefined;',
    tests: ['test/unit/fetch/walk/bare-lists.test.ts'],
  },
  {
    name: 'hashes that have a record only the second time',
    file: 'src/fetch/walk/look-up.ts',
    text: 'if (wasEmpty && answer.reason !== NO_RECORD) facts',
    without: 'if (wasEmpty && answer.reason === NO_RECORD) facts',
    tests: ['test/unit/fetch/walk/look-up.test.ts'],
  },
  {
    name: 'repeated identity',
    file: 'src/fetch/walk/heights/fetch-listed.ts',
    text: 'if (twice === undefined) return provenPart',
    without: 'if (twice !== null) return provenPart',
    tests: [...HEIGHTS, ...PAGES],
  },
  {
    name: 'end of an endless list at its cap',
    file: 'src/fetch/walk/read-to-the-end.ts',
    text: 'if (settings.acceptCap) return ended(page, true);',
    without: 'if (settings.acceptCap) continue;',
    tests: OVERFLOW,
  },
  {
    name: 'slot assignment',
    file: 'src/fetch/walk/pages.ts',
    text: 'await Promise.all(others)',
    without: `await new Promise((resolve) => {
      const arrived = [];
      for (const read of others) {
        void read.then((reply) => arrived.push(reply) === others.length && resolve(arrived));
      }
      if (others.length === 0) resolve(arrived);
    })`,
    tests: PAGES,
  },
  {
    name: 'echoed page check',
    file: 'src/fetch/walk/pages.ts',
    text: 'if (reply.page !== page)',
    without: 'if (false)',
    tests: PAGES,
  },
  {
    name: 'echoed limit check',
    file: 'src/fetch/walk/pages.ts',
    text: 'if (reply.limit !== limit)',
    without: 'if (false)',
    tests: PAGES,
  },
  {
    name: 'totalPage constancy',
    file: 'src/fetch/walk/pages.ts',
    text: 'if (reply.totalPage !== totalPage)',
    without: 'if (false)',
    tests: PAGES,
  },
  {
    name: 'total that agrees with the records',
    file: 'src/fetch/walk/pages.ts',
    text: 'if (isCounted && lastPage === totalPage && first.total !== listed) {',
    without: 'if (isCounted && listed < 0) {',
    tests: PAGES,
  },
  {
    name: 'cap test',
    file: 'src/fetch/walk/pages.ts',
    text: 'if (most >= cap)',
    without: 'if (false)',
    tests: PAGES,
  },
  {
    name: 'exactly-full test',
    file: 'src/fetch/walk/pages.ts',
    text: 'isEndFull: !isCounted && ',
    without: 'isEndFull: false && ',
    tests: PAGES,
  },
  {
    name: 'refused pages',
    file: 'src/fetch/walk/pages.ts',
    text: 'if (refused !== undefined && !settings.acceptCap) {',
    without: 'if (refused !== undefined && refused < 0) {',
    tests: PAGES,
  },
  {
    name: 'heights of pages',
    file: 'src/fetch/walk/heights/walk-pages.ts',
    text: 'if (height !== undefined && !contains(asked, height)) {',
    without: 'if (height !== undefined && height < 0) {',
    tests: PAGES,
  },
  {
    name: 'keys of pages',
    file: 'src/fetch/walk/heights/walk-pages.ts',
    text: '} else if (matchedKeys(endpoint, record, slice).length === 0) {',
    without: '} else if (matchedKeys(endpoint, record, slice).length < 0) {',
    tests: PAGES,
  },
  {
    name: 'several keys as long as the longest list',
    file: 'src/fetch/walk/heights/walk-pages.ts',
    text: "return mayBeCut ? { outcome: 'saturated', reason: 'a record cap may have cut it' } : walked;",
    without: 'return mayBeCut ? walked : walked;',
    tests: PAGES,
  },
  {
    name: 'volatile exclusion',
    file: 'src/catalogue/entry.ts',
    text: 'return fields.filter(({ volatile }) => volatile !== true);',
    without: 'return [...fields];',
    tests: HEIGHTS,
  },
  {
    name: 'per-match divisibility',
    file: 'src/fetch/walk/repeated-listing.ts',
    text: 'return records.length % matched.length === 0;',
    without: 'return records.length > 0;',
    tests: LISTING,
  },
  {
    name: 'second look at how often records are listed',
    file: 'src/fetch/walk/repeated-listing.ts',
    text: '(await countFor(sample.matched)) !== listed',
    without: 'listed < 0',
    tests: LISTING,
  },
  {
    name: 'another look at a listing that seems to have changed',
    file: 'src/fetch/walk/repeated-listing.ts',
    text: "const isDoubted = known === 'once' && shared.every(isDivisible);",
    without: 'const isDoubted = false;',
    tests: LISTING,
  },
  {
    name: 'pending records among those that the sides of a key count',
    file: 'src/fetch/walk/heights/key-sides.ts',
    text: 'onBoth.length > listed',
    without: 'onBoth.length > records.length',
    tests: ['test/unit/fetch/walk/pending-records.test.ts'],
  },
  {
    name: 'page size that the service cut down',
    file: 'src/fetch/walk/read-to-the-end.ts',
    text: 'const size = listed > first ? first : limit;',
    without: 'const size = limit;',
    tests: SIZES,
  },
  {
    name: 'readings in one page size alone',
    file: 'src/fetch/walk/pages.ts',
    text: "(pass.kind !== 'pages' || !sizes.includes(pass.size))",
    without: 'true',
    tests: SIZES,
  },
  {
    name: 'a third page size for copies that no page shows together',
    file: 'src/fetch/walk/heights/walk-pages.ts',
    text: 'const MAX_SIZES = 3;',
    without: 'const MAX_SIZES = 2;',
    tests: SIZES,
  },
  {
    name: 'copies on several pages of a list whose readings have differed',
    file: 'src/fetch/walk/heights/walk-pages.ts',
    text: 'if (!facts.haveReadingsDiffered(path)) return undefined;',
    without: "if (path !== '') return undefined;",
    tests: SIZES,
  },
  {
    name: 'records that moved while a truncated list was read',
    file: 'src/fetch/walk/heights/walk-pages.ts',
    text: 'together.with(again.records).most(pass.records)',
    without: 'pass.records',
    tests: OVERFLOW,
  },
  {
    name: 'copies that both readings of a truncated list show',
    file: 'src/fetch/walk/heights/walk-pages.ts',
    text: 'together.with(again.records).most(pass.records)',
    without: 'together.most(pass.records)',
    tests: OVERFLOW,
  },
  {
    name: 'end of readings that disagree twice in the same way',
    file: 'src/fetch/walk/heights/walk-pages.ts',
    text: 'if (walked.readings !== undefined && walked.readings === readings) break;',
    without: '',
    tests: SIZES,
  },
  {
    name: 'the API reference with a slash at the end',
    file: 'src/service/server/pages.ts',
    text: "          ['/docs/', referencePage] as const,\n",
    without: '',
    tests: ['test/unit/service/server/reference-page.test.ts'],
  },
];
