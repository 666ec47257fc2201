import type { Endpoint } from '../../src/catalogue/entry.ts';

/** The page of contradictions and ambiguities of the interface, generated from the entries. */
export function contradictionsDocument(endpoints: readonly Endpoint[]): string {
  const sections = endpoints.map(({ path, method, summary, contradictions = [] }) => {
    const items = contradictions.map((each) => `- ${each}`);
    const body = items.length === 0 ? ['No contradictions are known.'] : items;
    return [`## \`${method} ${path}\``, '', `${summary}.`, '', ...body].join('\n');
  });
  return `${[HEAD, ...sections].join('\n\n')}\n`;
}

const HEAD = `# Where the interface contradicts itself

Each section lists where the description of an operation contradicts itself or leaves a question
open. The decision of windrow follows the colon. This page is generated from the \`contradictions\`
of the entries in \`src/catalogue\`. Edit the entries, then regenerate the page:

\`\`\`sh
UPDATE=1 npx vitest run test/unit/catalogue/contradictions.test.ts
\`\`\``;
