const EMPTY = ['test/unit/fetch/corroborate/empty-answers.test.ts'];
const SAME = ['test/unit/fetch/corroborate/same-answers.test.ts'];
const CLIENT = ['test/unit/fetch/http/false-empties.test.ts'];
const REFUTES = ['test/unit/land/rule/merge-refutes.test.ts'];
const FACTS = ['test/unit/fetch/walk/list-facts.test.ts'];

/**
 * The guards on what a run learns of a service, and on what it makes of empty answers.
 *
 * @type {readonly import('./guards.mjs').Guard[]}
 */
export const ANSWER_GUARDS = [
  {
    name: 'pages shown long ago',
    file: 'src/fetch/walk/list-facts.ts',
    text: 'if (recent.length > RECENT_PAGES) recent.shift();',
    without: '',
    tests: FACTS,
  },
  {
    name: 'second page of a smaller size',
    file: 'src/fetch/walk/list-facts.ts',
    text: 'if (this.#clamped.get(path) === pageSize) this',
    without: 'this',
    tests: FACTS,
  },
  {
    name: 'known question after empty answers',
    file: 'src/fetch/corroborate/empty-answers.ts',
    text: 'await this.#askKnown(path, held);',
    without: '',
    tests: EMPTY,
  },
  {
    name: 'known question between the readings of surprising empty answers',
    file: 'src/fetch/corroborate/empty-answers.ts',
    text: 'if (i === 0) await this.#askKnown(path, doubted);',
    without: '',
    tests: EMPTY,
  },
  {
    name: 'known question after second readings',
    file: 'src/fetch/corroborate/empty-answers.ts',
    text: 'if (isTwice) await this.#askKnown(path, empty);',
    without: '',
    tests: EMPTY,
  },
  {
    name: 'known question after the last reading of an empty part',
    file: 'src/fetch/corroborate/empty-answers.ts',
    text: 'empty.push({ ...each, pages: this.#options.facts.pages });',
    without: 'empty.push(each);',
    tests: EMPTY,
  },
  {
    name: 'answers without evidence',
    file: 'src/fetch/corroborate/known-question.ts',
    text: 'facts.sawAnswer(records.length > 0);',
    without: 'facts.sawAnswer(true);',
    tests: EMPTY,
  },
  {
    name: 'second reading of bare lists',
    file: 'src/fetch/corroborate/empty-answers.ts',
    text: "const isBare = first.part.slice.list.entry.reply.shape === 'bare';",
    without: 'const isBare = false;',
    tests: EMPTY,
  },
  {
    name: 'second reading with strict proof',
    file: 'src/fetch/corroborate/empty-answers.ts',
    text: " || first.settings.proof === 'strict';",
    without: ';',
    tests: EMPTY,
  },
  {
    name: 'surprising empty answers',
    file: 'src/fetch/corroborate/empty-answers.ts',
    text: 'doubted = await this.#readOnce(doubted);',
    without: 'doubted = [...doubted];',
    tests: EMPTY,
  },
  {
    name: 'sample of empty answers',
    file: 'src/fetch/corroborate/empty-answers.ts',
    text: 'if (!this.#isSuspect) await failing([], () => this.#readSample());',
    without: '',
    tests: EMPTY,
  },
  {
    name: 'empty parts taken back',
    file: 'src/fetch/corroborate/empty-answers.ts',
    text: 'if (this.#isSuspect) await this.#takeBack(this.#landed.splice(0), FALSE_EMPTIES);',
    without: '',
    tests: EMPTY,
  },
  {
    name: 'readings of a suspect source',
    file: 'src/fetch/corroborate/empty-answers.ts',
    text: 'for (let readings = 1; readings < this.#readingsNeeded(); readings += 1) {',
    without: 'for (let readings = 1; readings < 2; readings += 1) {',
    tests: EMPTY,
  },
  {
    name: 'sources that are not believed',
    file: 'src/fetch/corroborate/empty-answers.ts',
    text: 'if (this.#readingsNeeded() < MAX_READINGS) {',
    without: 'if (this.#readingsNeeded() > 0) {',
    tests: EMPTY,
  },
  {
    name: 'empty parts before ranges were known, landed',
    file: 'src/fetch/corroborate/empty-answers.ts',
    text: "await this.#takeBack(landed, 'read before the run learned where ranges of blocks begin');",
    without: 'void landed;',
    tests: EMPTY,
  },
  {
    name: 'empty parts before ranges were known, held',
    file: 'src/fetch/corroborate/empty-answers.ts',
    text: 'const held = isShifted ? await this.#readOnce(given) : given;',
    without: 'const held = isShifted ? given : given;',
    tests: EMPTY,
  },
  {
    name: 'interrupted corroboration',
    file: 'src/fetch/corroborate/destination.ts',
    text: 'for (const { part, fail } of held) fail(part, error.message);',
    without: 'for (const each of held) await each.land(each.part, "new");',
    tests: EMPTY,
  },
  {
    name: 'equal answers of two values',
    file: 'src/fetch/corroborate/same-answers.ts',
    text: 'if (new Set(same.map((each) => each.value)).size < 2) return undefined;',
    without: 'if (same.length >= 0) return undefined;',
    tests: SAME,
  },
  {
    name: 'equal answers as multisets',
    file: 'src/fetch/corroborate/same-answers.ts',
    text: 'this.#records += records.length;',
    without: 'this.#records = 1;',
    tests: SAME,
  },
  {
    name: 'lowest head',
    file: 'src/fetch/chain/heads.ts',
    text: 'if (heads.head < lowest.head) lowest = heads;',
    without: '',
    tests: ['test/unit/fetch/chain/heads.test.ts'],
  },
  {
    name: 'false empty answers are asked again',
    file: 'src/fetch/http/false-empties.ts',
    text: 'if (call.onFalseEmpty === undefined || records.length > 0) return undefined;',
    without: 'if (call.onFalseEmpty === undefined || records.length >= 0) return undefined;',
    tests: CLIENT,
  },
  {
    name: 'bound of false empty answers',
    file: 'src/fetch/http/false-empties.ts',
    text: 'if (call.falseEmpties >= MAX_FALSE_EMPTIES) return undefined;',
    without: 'if (call.falseEmpties >= 1e6) return undefined;',
    tests: CLIENT,
  },
  {
    name: 'floor of false empty answers',
    file: 'src/fetch/http/false-empties.ts',
    text: 'return FLOOR * this.#firstPerSecond;',
    without: 'return 0;',
    tests: CLIENT,
  },
  {
    name: 'lists without any record',
    file: 'src/fetch/corroborate/empty-answers.ts',
    text: 'i < SURPRISING_READINGS && empty.some(isSilent);',
    without: 'i < SURPRISING_READINGS && empty.length < 0;',
    tests: EMPTY,
  },
  {
    name: 'floor of stalls by false empty answers',
    file: 'src/fetch/rate/pace.ts',
    text: 'const windowRate = Math.max(this.#floor, cycle, this.#grantedBefore);',
    without: 'const windowRate = Math.max(LOWEST_PER_SECOND, cycle, this.#grantedBefore);',
    tests: CLIENT,
  },
  {
    name: 'refuted coverage',
    file: 'src/land/rule/merge.ts',
    text: "if (claim.refutes === true && claim.status !== 'complete') {",
    without: "if (claim.refutes === true && claim.status === 'failed') {",
    tests: REFUTES,
  },
  {
    name: 'rows under refuted coverage',
    file: 'src/land/rule/merge.ts',
    text: 'removal: records.length === 0 ? undefined : removalOf(claim, others),',
    without: 'removal: removalOf(claim, others),',
    tests: REFUTES,
  },
  {
    name: 'parts whose second reading failed',
    file: 'src/fetch/corroborate/empty-answers.ts',
    text: 'if (held.isLanded) await',
    without: 'if (false) await',
    tests: EMPTY,
  },
];
