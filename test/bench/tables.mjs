/** The Markdown tables of a bench's output, each as a list of rows by the names of their columns. */
export function tablesIn(output) {
  const tables = [];
  let header;
  for (const line of output.split('\n')) {
    if (!line.startsWith('|')) {
      header = undefined;
      continue;
    }
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (header === undefined) {
      header = cells;
      tables.push([]);
    } else if (!cells.every((cell) => /^-+$/.test(cell))) {
      const row = Object.fromEntries(header.map((name, i) => [name, cells[i] ?? '']));
      tables.at(-1).push(row);
    }
  }
  return tables;
}

/** The measures of a part; one line that says so if it has none. */
export function measuresIn(part, output) {
  const rows = part.measures(tablesIn(output), output).map(({ measure, figure, most, least }) => {
    const value = Number.parseFloat(figure);
    const limit = most === undefined ? least && `at least ${least}` : `at most ${most}`;
    const isMet = most === undefined ? least && value >= least : value <= most;
    return { part: part.name, measure, figure, limit, isMet };
  });
  if (rows.length > 0) return rows;
  return [{ part: part.name, measure: 'not measured', figure: '' }];
}
