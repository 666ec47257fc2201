import type { Dataset, Endpoint } from '../../src/catalogue/entry.ts';
import { catalogueFacts } from './catalogue-facts.ts';
import type { Exception } from './conformance-exceptions.ts';
import type {
  DocumentedOperation,
  DocumentedRecord,
  InterfaceDocument,
} from './interface-document.ts';
import type { Facts } from './stated-facts.ts';
import { recordOf, statedFacts } from './stated-facts.ts';
import { unknownLimits } from './stated-limits.ts';

/**
 * Everything in which the catalogue is not what the document states, one sentence each; empty for a
 * catalogue that conforms. An exception takes away the one finding it names, as long as the entry
 * says itself what is wrong with the document; an exception that nothing needs is a finding too.
 */
export function conformanceFindings(
  document: InterfaceDocument,
  endpoints: readonly Endpoint[],
  datasets: readonly Dataset[],
  exceptions: readonly Exception[],
): string[] {
  const statements = statementsOf(document);
  const findings = [...statements.findings, ...endpointFindings(statements, endpoints, datasets)];
  const excused = new Set(exceptions.map(({ finding }) => finding));
  return [
    ...findings.filter((finding) => !excused.has(finding)),
    ...exceptions.flatMap((exception) => exceptionFindings(exception, findings, endpoints)),
  ];
}

function exceptionFindings(
  { finding, path, contradiction }: Exception,
  findings: readonly string[],
  endpoints: readonly Endpoint[],
): string[] {
  const entry = endpoints.find((endpoint) => endpoint.path === path);
  const isSaid = entry?.contradictions?.includes(contradiction) === true;
  return [
    ...(findings.includes(finding) ? [] : [`no exception is needed for: ${finding}`]),
    ...(isSaid ? [] : [`${path}: its contradictions do not say: ${contradiction}`]),
  ];
}

/** What the document says, as far as no catalogue matters to it. */
interface Statements {
  readonly operations: readonly {
    readonly path: string;
    readonly facts: Facts;
    /** Sentences in which a quirk is admitted, with the words that tell what it is about. */
    readonly quirks: readonly { readonly sentence: string; readonly words: readonly string[] }[];
  }[];
  /** Where the document contradicts itself. */
  readonly findings: readonly string[];
}

/** Documents do not change, and are compared with many catalogues. */
const statementsByDocument = new WeakMap<InterfaceDocument, Statements>();

function statementsOf(document: InterfaceDocument): Statements {
  const cached = statementsByDocument.get(document);
  if (cached !== undefined) return cached;
  const operations = document.operations.map((operation) => ({
    path: operation.path,
    facts: statedFacts(document, operation),
    quirks: quirksOf(operation, recordOf(document, operation)),
  }));
  const statements = { operations, findings: documentFindings(document) };
  statementsByDocument.set(document, statements);
  return statements;
}

function documentFindings(document: InterfaceDocument): string[] {
  const { operations, records } = document;
  const ascribed = records.flatMap((record) => {
    const users = operations.filter((operation) => recordOf(document, operation) === record);
    const named = record.use.match(/\bE[0-9]+[a-z]?\b/g) ?? [];
    const [said, actual] = [named.join(', '), users.map(({ id }) => id).join(', ')];
    return said === actual ? [] : [`${record.title} is ascribed to ${said}, used by ${actual}`];
  });
  const odd = operations.flatMap(({ path, params, response }) => [
    ...params
      .filter(({ required, meaning }) => required === 'yes' && /\bdefault\b/.test(meaning))
      .map(({ name }) => `${path}: ${name} is required and has a default`),
    ...(params.some(({ name }) => name === 'page') && !response.includes('totalPage')
      ? [`${path}: it is paged, and its reply has no paging fields`]
      : []),
  ]);
  const unknown = unknownLimits(document).map((limit) => `no entry could hold the limit: ${limit}`);
  return [...ascribed, ...odd, ...unknown];
}

const QUIRK = /\bsample\b|\btwice\b|\bnot shown\b|\bdocumented (?:type|as)\b/;

function quirksOf(
  { params, notes, response }: DocumentedOperation,
  record: DocumentedRecord | undefined,
): Statements['operations'][number]['quirks'] {
  const { notes: recordNotes = [], fields = [] } = record ?? {};
  const texts = [
    ...notes.filter((note) => !note.startsWith('`')),
    response,
    ...params.map(({ name, meaning }) => `${name}: ${meaning}`),
    ...recordNotes,
    ...fields.map(({ name, meaning }) => `${name}: ${meaning}`),
  ];
  const names = [...params, ...fields].map(({ name }) => name);
  return texts.flatMap((text) => {
    const sentences = text.split(/(?<=\.) /).filter((sentence) => QUIRK.test(sentence));
    return sentences.map((sentence) => {
      // A sentence that names nothing goes on about what the text has named before.
      const words = tellingWords(sentence, names);
      return { sentence, words: words.length > 0 ? words : tellingWords(text, names) };
    });
  });
}

/** Words that only mean something here: names, what is quoted, and what is in capitals. */
function tellingWords(text: string, names: readonly string[]): string[] {
  const words = text.match(/[A-Za-z]+/g) ?? [];
  const quoted = [...text.matchAll(/`(\w+)`/g)].map(([, word = '']) => word);
  return [...words.filter((word) => names.includes(word) || /^[A-Z]{4,}$/.test(word)), ...quoted];
}

function endpointFindings(
  { operations }: Statements,
  endpoints: readonly Endpoint[],
  datasets: readonly Dataset[],
): string[] {
  const documented = operations.map(({ path }) => path);
  const surplus = endpoints
    .filter(({ path }, i) => {
      return !documented.includes(path) || endpoints.findIndex((entry) => entry.path === path) < i;
    })
    .map(({ path }) => `${path}: the interface has no such operation, or only one`);
  const compared = operations.flatMap(({ path, facts, quirks }) => {
    const entry = endpoints.find((endpoint) => endpoint.path === path);
    if (entry === undefined) return [`${path}: the catalogue has no such entry`];
    const said = new Set((entry.contradictions ?? []).join(' ').match(/[A-Za-z]+/g));
    const untold = quirks.filter(({ words }) => !words.some((word) => said.has(word)));
    return [
      ...differences(path, facts, catalogueFacts(entry, datasets)),
      ...untold.map(({ sentence }) => `${path}: its contradictions do not take up: ${sentence}`),
    ];
  });
  return [...surplus, ...compared];
}

/** Facts of an entry are made once, so those of most entries were compared for another mutant. */
const differencesByFacts = new WeakMap<Facts, WeakMap<Facts, readonly string[]>>();

function differences(path: string, stated: Facts, catalogue: Facts): readonly string[] {
  const compared = differencesByFacts.get(stated) ?? new WeakMap<Facts, readonly string[]>();
  differencesByFacts.set(stated, compared);
  const cached = compared.get(catalogue);
  if (cached !== undefined) return cached;
  const findings: string[] = [];
  compared.set(catalogue, findings);
  for (const [fact, value] of stated) {
    const actual = catalogue.get(fact);
    if (actual === value) continue;
    findings.push(`${path}: ${fact}: ${value} in the interface, ${actual ?? 'nothing'} here`);
  }
  return findings;
}
