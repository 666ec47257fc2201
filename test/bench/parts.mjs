/**
 * The parts of `npm run bench`: a program with its arguments for both sizes, and the measures that
 * the summary takes from its output. DIR stands for a folder of the part's own.
 */
export const PARTS = [
  {
    name: 'first-hour',
    title: 'The first hour',
    text: `The commands of the README on a fresh clone, with an empty cache of packages
(\`test/bench/first-hour.mjs\`).`,
    program: 'first-hour.mjs',
    small: ['DIR'],
    full: ['DIR'],
    measures: ([commands = []]) => [
      ...commands.flatMap((row) => [
        { measure: `${row.command}, seconds by the clock`, figure: row['wall s'] },
        {
          measure: `${row.command}, CPU seconds`,
          figure: row['user + sys s'],
          ...(row.command === 'npm test' ? { most: 150 } : {}),
        },
      ]),
      ...commands
        .filter(({ MB }) => MB !== '')
        .flatMap(({ packages, MB }) => [
          { measure: 'packages of an install', figure: packages },
          { measure: 'megabytes of an install', figure: MB },
        ]),
    ],
  },
  {
    name: 'start-up',
    title: 'Start-up',
    text: 'Verbs with little work, over the lake of the demo (`test/bench/start-up.ts`).',
    program: 'start-up.js',
    small: ['3'],
    full: ['5'],
    measures: ([steps = []]) =>
      steps.map((row) => ({
        measure: `${row.step}, CPU seconds`,
        figure: row['CPU s'],
        ...(row['limit s'] === '' ? {} : { most: Number(row['limit s']) }),
      })),
  },
  {
    name: 'landing',
    title: 'Landing',
    text: `Recorded pages to committed raw Parquet, beside the bare \`read_json\` and \`COPY\` of
DuckDB on the same bytes (\`test/bench/landing.ts\`).`,
    program: 'landing.js',
    small: ['10000', '100', '3', '2'],
    full: ['10000', '100', '3', '20'],
    measures: ([lists = []]) =>
      lists.map(({ list, ratio }) => ({
        measure: `rows per CPU second of ${list}, as a share of DuckDB's`,
        figure: ratio,
        least: 0.4,
      })),
  },
  {
    name: 'client',
    title: 'Client',
    text: `Walks from a static server on the loopback, 16 requests at a time
(\`test/bench/client.ts\`).`,
    program: 'client.js',
    small: ['10000', '100', '3'],
    full: ['10000', '100', '5'],
    measures: ([sizes = []]) =>
      sizes.map((row) => ({
        measure: `CPU ms per request of ${row['records per page']} records, with landing`,
        figure: row['with landing'],
        most: row['records per page'] === '10' ? 1.2 : 3,
      })),
  },
  {
    name: 'rates',
    title: 'Hidden limits',
    text: `The share of a hidden limit that a run uses after 20 s, behind 80 ms (\`test/bench/rates.mjs\`).`,
    program: 'rates.mjs',
    small: ['DIR', '45', '20', '200', '500'],
    full: ['DIR', '120', '20', '200', '500'],
    measures: ([limits = []]) =>
      limits.map((row) => ({
        measure: `share of ${row['limit per second']}/s`,
        figure: row['share used'],
        least: 0.9,
      })),
  },
  {
    name: 'log',
    title: 'Open, plan and commit',
    text: `A table of many commits of 64 slices x 20 keys: one process each to open it, to plan over
it and to commit to it (\`test/bench/log-size.ts\`).`,
    program: 'log-size.js',
    small: ['DIR', '1000', 'windows'],
    full: ['DIR', '10000', 'windows'],
    measures: (_, output) =>
      [...output.matchAll(/^(open|plan|commit) +([\d.]+) CPU s +(\d+) MB/gm)]
        .filter(([, step], i, all) => all.findIndex(([, other]) => other === step) === i)
        .map(([, step, seconds]) => ({
          measure: `${step}, CPU seconds`,
          figure: seconds,
          most: 3,
        })),
  },
  {
    name: 'plan',
    title: 'A large plan',
    text: `Windows for a million addresses, planned and priced by bands (\`test/bench/large-plan.ts\`).`,
    program: 'large-plan.js',
    small: ['10'],
    full: ['100'],
    measures: (_, output) =>
      [...output.matchAll(/([\d.]+) CPU s; (\d+) MiB/g)].flatMap(([, seconds, mebibytes]) => [
        { measure: 'CPU seconds', figure: seconds, most: 180 },
        { measure: 'peak MiB', figure: mebibytes, most: 1024 },
      ]),
  },
  {
    name: 'curated',
    title: 'Curated tables, questions and checks',
    text: `A made-up lake: its curated tables, questions over the views beside the same questions over
clean Parquet files, and the checks (\`test/bench/curated.ts\`).`,
    program: 'curated.js',
    small: ['DIR', '0.02'],
    full: ['DIR', '1'],
    measures: ([load = [], more = [], questions = [], checks = []]) => [
      ...load.slice(0, 1).map((row) => ({
        measure: 'raw rows curated and published per CPU second',
        figure: row['rows per CPU s'],
      })),
      ...measuresOfMore(more),
      ...(questions.length === 0
        ? []
        : [
            {
              measure: `questions within their limit, of ${questions.length}`,
              figure: String(questions.filter((row) => !row['views CPU s'].includes('!')).length),
              least: questions.length,
            },
          ]),
      ...checks
        .filter((row) => row.check.startsWith('all checks'))
        .map((row) => ({ measure: `${row.check}, CPU seconds`, figure: row['CPU s'] })),
    ],
  },
  {
    name: 'serve',
    title: 'Serving a lake',
    text: `An answer from a made-up lake beside the same question to DuckDB over its raw files
(\`test/bench/lake-source.ts\`).`,
    program: 'lake-source.js',
    small: ['0.1,0.5', '15'],
    full: ['1,5', '60'],
    measures: ([questions = []]) =>
      questions.map((row) => ({
        measure: `${row.question}, ${row.millions} million: time, as a multiple of DuckDB's`,
        figure: row.ratio,
        most: 1.5,
      })),
  },
  {
    name: 'pages',
    title: 'Pages',
    text: `Every kind of page about a lake, over the made-up lake: the first answer of a new process,
and the second one (\`test/bench/pages.ts\`).`,
    program: 'pages.js',
    small: ['DIR', '0.1'],
    full: ['DIR', '1'],
    measures: ([pages = []]) => {
      const shares = pages.map((row) => Number(row['first of limit']));
      const measure = `slowest first answer of ${pages.length} pages, as a share of 1 s`;
      return [{ measure, figure: Math.max(...shares).toFixed(2), most: 1 }];
    },
  },
  {
    name: 'stream',
    title: 'Stream',
    text: `A follower captures 200 messages per second, each with a signed transaction, while
connections are cut and the process is killed; then a server floods it
(\`test/bench/stream-soak.ts\`).`,
    program: 'stream-soak.js',
    small: ['DIR', '6000', '200', '5', '1', '100'],
    full: ['DIR', '120000', '200', '100', '10', '500'],
    measures: ([rows = []]) => {
      const limits = {
        'messages neither landed nor in a named gap': 0,
        'messages landed twice': 0,
        'peak memory of a process, MB': 300,
        'CPU of a core, %': 25,
        'flood: peak memory of a process, MB': 500,
      };
      return rows
        .filter(({ measure }) => measure in limits)
        .map(({ measure, figure }) => ({ measure, figure, most: limits[measure] }));
    },
  },
  {
    name: 'peers',
    title: 'Peers',
    text: `The same rows from the same server with dlt (filesystem, Parquet) and with a script
(requests and pyarrow, typed and sorted). windrow proves, checks, curates and publishes, too; the
server's CPU is not counted (\`test/bench/peers\`).`,
    program: 'peers/run.mjs',
    small: ['53000', '3'],
    full: ['500000', '3'],
    measures: ([programs = []]) =>
      programs
        .filter(({ program }) => program === 'windrow')
        .flatMap((row) => [
          { measure: "CPU, as a share of dlt's", figure: row['CPU of dlt'], most: 0.5 },
          {
            measure: "rows per second, as a multiple of dlt's",
            figure: row['speed of dlt'],
            least: 2,
          },
          {
            measure: "CPU, as a multiple of the script's",
            figure: row['CPU of script'],
            most: 1.3,
          },
        ]),
  },
];

/** Medians of the steps that curate more rows, as multiples of those of a followed address. */
function measuresOfMore(rows) {
  const [first] = rows.map((row) => Number(row['CPU s']));
  return rows.map((row, i) => ({
    measure: i === 0 ? `${row.step}, CPU seconds` : `${row.step}, as a multiple of that`,
    figure: i === 0 ? row['CPU s'] : (Number(row['CPU s']) / first).toFixed(2),
    ...(i === 0 ? {} : { most: 3 }),
  }));
}
