import type { Endpoint } from '../../src/catalogue/entry.ts';

/**
 * The page of contradictions and ambiguities of the interface, generated from the entries. What
 * several operations share stands above them.
 */
export function contradictionsDocument(endpoints: readonly Endpoint[]): string {
  const places = new Map<string, string[]>();
  for (const { path, contradictions = [] } of endpoints) {
    for (const text of contradictions) places.set(text, [...(places.get(text) ?? []), path]);
  }
  const isShared = (text: string): boolean => (places.get(text)?.length ?? 0) > 1;
  const shared = [...places.keys()].filter(isShared).map((text) => {
    return [`- ${text}`, ...(places.get(text) ?? []).map((path) => `  - \`${path}\``)].join('\n');
  });
  const sections = endpoints.flatMap(({ path, method, summary, contradictions = [] }) => {
    const items = contradictions.filter((text) => !isShared(text)).map((text) => `- ${text}`);
    if (items.length === 0) return [];
    return [[`## \`${method} ${path}\``, '', `${summary}.`, '', ...items].join('\n')];
  });
  return `${[HEAD, '## Several operations', shared.join('\n'), ...sections].join('\n\n')}\n`;
}

const HEAD = `# Where the interface contradicts itself

Each section lists where the description of an operation contradicts itself or leaves a question
open. The decision of windrow follows the colon. This page is generated from the \`contradictions\`
of the entries in \`src/catalogue\`. Edit the entries, then regenerate the page:

\`\`\`sh
UPDATE=1 npx vitest run test/unit/catalogue/contradictions.test.ts
\`\`\``;
