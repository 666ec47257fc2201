import { EXIT_CODES } from './terminal/options.ts';

/** The verbs of a task, as `windrow --help` lists them. */
interface ListedVerb {
  readonly command: string;
  readonly summary: string;
}

const OPTIONS: readonly ListedVerb[] = [
  { command: '--json', summary: 'Print results as JSON' },
  { command: '--help', summary: 'Show this help, or that of a verb' },
  { command: '--version', summary: 'Show the version' },
];

/** The help of windrow itself: its verbs by task, in lines of at most `columns` characters. */
export function verbsText(
  tasks: Readonly<Record<string, readonly ListedVerb[]>>,
  columns: number,
): string {
  const named = Object.entries(tasks).map(([task, verbs]) => {
    const full = verbs.map(({ command, summary }) => ({ command: `windrow ${command}`, summary }));
    return [task, full] as const;
  });
  const sections = [...named, ['Options', OPTIONS] as const];
  const widths = sections.flatMap(([, verbs]) => verbs.map(({ command }) => command.length));
  const indent = Math.max(...widths) + 4;
  const rows = sections.map(([task, verbs]) =>
    [`${task}:`, ...verbs.map((verb) => row(verb, indent, columns))].join('\n'),
  );
  return [
    'windrow <verb>',
    'Exports a chain explorer to a lake of Delta tables and SQL views.',
    ...rows,
    wrapped(EXIT_CODES, columns).join('\n'),
  ].join('\n\n');
}

function row({ command, summary }: ListedVerb, indent: number, columns: number): string {
  const [first = '', ...others] = wrapped(summary, Math.max(20, columns - indent));
  const lines = [`  ${command}`.padEnd(indent) + first];
  return [...lines, ...others.map((line) => ' '.repeat(indent) + line)].join('\n');
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
