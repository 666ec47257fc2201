import type { Endpoint } from '../../src/catalogue/entry.ts';

/** The page that tells where the interface contradicts itself or is silent, from the entries. */
export function contradictionsDocument(endpoints: readonly Endpoint[]): string {
  const sections = endpoints.map(({ path, method, summary, contradictions = [] }) => {
    const items = contradictions.map((each) => `- ${each}`);
    const body = items.length === 0 ? ['Nothing is known to be wrong with it.'] : items;
    return [`## \`${method} ${path}\``, '', `${summary}.`, '', ...body].join('\n');
  });
  return `${[HEAD, ...sections].join('\n\n')}\n`;
}

const HEAD = `# Where the interface contradicts itself

One section for each operation: what its description says twice and differently, or not at all, and
after the colon what windrow does. This page is written from the \`contradictions\` of the entries
in \`src/catalogue\`. Correct it there, and write it anew:

\`\`\`sh
UPDATE=1 npx vitest run --project unit test/unit/catalogue/contradictions.test.ts
\`\`\``;
