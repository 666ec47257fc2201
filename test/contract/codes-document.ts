import { REFUSALS } from '../../src/service/protocol/errors.ts';

/** The page that tells what the service refuses and how, from the service's own table. */
export function codesDocument(): string {
  const rows = Object.values(REFUSALS)
    .toSorted((a, b) => a.status - b.status || Number(a.code) - Number(b.code))
    .map(({ code, status, meaning }) => `| \`${code}\` | ${status} | ${meaning} |`);
  return `${[HEAD, ...rows].join('\n')}\n`;
}

const HEAD = `# What the service refuses

\`windrow serve\` answers every request with an envelope: \`code\` is \`"0"\` and \`msg\` empty where it
was answered, else \`code\` is one of these, \`msg\` says what was wrong and \`data\` is empty. The
interface shows neither codes nor statuses. Nothing is cut down to size in silence: what lies beyond
a limit is refused. Which operation can be answered with which code stands in \`/openapi.json\`.

This page is written from \`src/service/protocol/errors.ts\`. Correct it there, and write it anew:

\`\`\`sh
UPDATE=1 npx vitest run --project unit test/unit/service/openapi/openapi.test.ts
\`\`\`

Connections beyond 1,024, and those on which nothing moves for a minute, are closed without an
answer.

| code | HTTP status | meaning |
|---|---|---|`;
