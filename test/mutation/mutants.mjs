import { readFileSync } from 'node:fs';
import { parseAst } from 'vitest/node';

/**
 * Changes of one source file that a test has to notice, made from its syntax tree.
 *
 * @typedef {object} Mutant
 * @property {string} file path in the repository
 * @property {number} line
 * @property {'negate' | 'drop guard' | 'drop half' | 'shift bound'} kind
 * @property {string} code text of the syntax node, on one line
 * @property {number} start
 * @property {number} end
 * @property {string} text takes the place of start to end
 */

const SHIFTED = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const EXITS = new Set(['ThrowStatement', 'ReturnStatement', 'ContinueStatement', 'BreakStatement']);

/** @returns {Mutant[]} */
export function mutantsIn(file, source = readFileSync(file, 'utf8')) {
  const mutants = [];
  const add = (kind, node, start, end, text) => {
    const line = source.slice(0, node.start).split('\n').length;
    const code = source.slice(node.start, node.end).replace(/\s+/g, ' ');
    mutants.push({ file, line, kind, code, start, end, text });
  };
  const negate = (test) => {
    add('negate', test, test.start, test.end, `!(${source.slice(test.start, test.end)})`);
  };
  visit(parseAst(source, { lang: 'ts' }), (node) => {
    if (node.type === 'IfStatement') {
      if (isGuard(node)) add('drop guard', node, node.start, node.end, ';');
      else negate(node.test);
    } else if (node.type === 'ConditionalExpression') negate(node.test);
    else if (node.type === 'LogicalExpression' && node.operator !== '??') {
      add('drop half', node, node.left.end, node.end, '');
    } else if (node.type === 'BinaryExpression') {
      const { left, right, operator } = node;
      if (operator in SHIFTED) {
        const at = source.indexOf(operator, left.end);
        add('shift bound', node, at, at + operator.length, SHIFTED[operator]);
      } else if ((operator === '+' || operator === '-') && right.raw === '1') {
        add('shift bound', node, left.end, node.end, '');
      }
    }
  });
  return mutants;
}

/** An `if` without `else` that leaves the function or the loop. */
function isGuard({ consequent, alternate }) {
  const last = consequent.type === 'BlockStatement' ? consequent.body.at(-1) : consequent;
  return alternate === null && last !== undefined && EXITS.has(last.type);
}

function visit(node, enter) {
  if (Array.isArray(node)) for (const part of node) visit(part, enter);
  else if (typeof node?.type === 'string') {
    enter(node);
    for (const part of Object.values(node)) {
      if (typeof part === 'object' && part !== null) visit(part, enter);
    }
  }
}

/** The items in an order that the seed determines. */
export function shuffled(items, seed) {
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const order = [...items];
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order;
}
