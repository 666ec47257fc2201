import { REFUSALS } from '../../service/src/protocol/errors.ts';

/** The page of the service's refusal codes, generated from its own table. */
export function codesDocument(): string {
  const rows = Object.values(REFUSALS)
    .toSorted((a, b) => a.status - b.status || Number(a.code) - Number(b.code))
    .map(({ code, status, meaning }) => `| \`${code}\` | ${status} | ${meaning} |`);
  return `${[HEAD, ...rows].join('\n')}\n`;
}

const HEAD = `# Refusal codes of the service

\`windrow serve\` answers every request with an envelope. On success, \`code\` is \`"0"\` and \`msg\` is
empty. Otherwise \`code\` is one of the codes below, \`msg\` gives the reason and \`data\` is empty. The
interface shows neither codes nor statuses. Values beyond a limit are refused, never reduced
silently. \`/openapi.json\` lists the possible codes of each operation.

This page is generated from \`service/src/protocol/errors.ts\`. Edit that file, then run:

\`\`\`sh
UPDATE=1 npx vitest run service/test/long/integration/openapi/openapi.test.ts
\`\`\`

Connections beyond 1,024, and connections without traffic for a minute, are closed without an
answer.

| code | HTTP status | meaning |
|---|---|---|`;
