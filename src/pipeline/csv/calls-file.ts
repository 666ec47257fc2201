import {
  type AbiFunction,
  type AbiParameter,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  parseAbiItem,
} from 'viem';
import { ADDRESS } from '../syntax/address.ts';
import { faultOf, type Problem } from '../syntax/problem.ts';
import { namedCells, type TextFile } from './csv-lines.ts';

/** A call of a contract that a pipeline reads again and again. */
export interface ContractCall {
  /** In lower case. */
  readonly contract: string;
  /** As in the file. */
  readonly signature: string;
  /** As a JSON list, with numbers as text. */
  readonly argumentsText: string;
  /** Selector and arguments, in hex. */
  readonly data: string;
  /** The values of a result; undefined if it does not match the signature. */
  decode(result: string): DecodedValues | undefined;
}

interface DecodedValues {
  /** In the order of the signature, as a JSON list with numbers as text. */
  readonly text: string;
  /** The first value, in digits, if it is a whole number without a sign. */
  readonly number: string | undefined;
}

const COLUMNS = ['contract', 'function', 'arguments'] as const;
/** `balanceOf(address)(uint256)`, as other tools write it. */
const SHORT = /^(?:function\s+)?(\w+)\s*\((.*?)\)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)$/;

/**
 * The calls of a CSV text: a header with the columns contract, function and arguments, and one call
 * on each line. Throws a configuration fault that lists every line with a problem.
 */
export function parseCalls(source: TextFile): ContractCall[] {
  const required = COLUMNS.slice(0, 2);
  const { lines, headerLine, cellOf } = namedCells(source, required, COLUMNS.join());
  const problems: Problem[] = [];
  const calls = lines.flatMap((line) => {
    const [contract = '', signature = '', list = ''] = COLUMNS.map((name) => cellOf(line, name));
    const call = callOf(contract, signature, list);
    if ('contract' in call) return [call];
    problems.push({ line: line.line, ...call });
    return [];
  });
  if (lines.length === 0) {
    const advice = 'Write one call on each line, below the header.';
    problems.push({ line: headerLine, message: 'the file has no calls', advice });
  }
  if (problems.length > 0) throw faultOf(source.file, problems);
  return calls;
}

type LineProblem = Omit<Problem, 'line'>;

function callOf(contract: string, signature: string, list: string): ContractCall | LineProblem {
  if (!ADDRESS.test(contract)) {
    const advice = 'Write the contract as 0x and 40 hexadecimal digits.';
    return { message: 'this is not an address', source: contract, advice };
  }
  const item = functionIn(signature);
  if (item === undefined || item.outputs.length === 0) {
    const advice =
      'Write its name, its types and those of its result, as in balanceOf(address)(uint256). ' +
      'Enclose it in double quotes if it has commas.';
    return { message: 'this is not the signature of a function', source: signature, advice };
  }
  try {
    const values = argumentsIn(list).map((text, at) => argumentOf(text, item.inputs[at]));
    const data = encodeFunctionData({ abi: [item], args: values });
    return {
      contract: contract.toLowerCase(),
      signature,
      argumentsText: exactJson(values),
      data,
      decode: (result) => decoded(item, result),
    };
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    const types = item.inputs.map(({ type }) => type).join(', ');
    const advice =
      `The function takes (${types}): separate the arguments by spaces, or write a JSON list. ` +
      `${reason}`;
    return { message: 'these are not the arguments of the function', source: list, advice };
  }
}

function functionIn(signature: string): AbiFunction | undefined {
  const [, name = '', inputs = '', outputs = ''] = SHORT.exec(signature.trim()) ?? [];
  const whole = name === '' ? signature : `${name}(${inputs}) view returns (${outputs})`;
  try {
    const item = parseAbiItem(whole.startsWith('function') ? whole : `function ${whole}`);
    return (item as { type: string }).type === 'function' ? (item as AbiFunction) : undefined;
  } catch {
    return undefined;
  }
}

/** Words, or the members of a JSON list. Numbers in JSON stay text, because they may be large. */
function argumentsIn(list: string): unknown[] {
  if (!list.startsWith('[')) return list.split(/\s+/).filter((word) => word !== '');
  const quoted = list.replace(/"(?:[^"\\]|\\.)*"|-?\d+/g, (part) => {
    return part.startsWith('"') ? part : `"${part}"`;
  });
  return JSON.parse(quoted) as unknown[];
}

/** The value of an argument as viem takes it. */
function argumentOf(value: unknown, parameter: AbiParameter | undefined): unknown {
  const { type = '' } = parameter ?? {};
  const element = /^(.*)\[\d*\]$/.exec(type)?.[1];
  if (element !== undefined && Array.isArray(value)) {
    return value.map((part) => argumentOf(part, { ...parameter, type: element } as AbiParameter));
  }
  if (/^u?int/.test(type)) return BigInt(String(value));
  return type === 'bool' ? String(value) === 'true' : value;
}

function decoded(item: AbiFunction, result: string): DecodedValues | undefined {
  try {
    const functionName = item.name;
    const value: unknown = decodeFunctionResult({
      abi: [item],
      functionName,
      data: result as Hex,
    });
    const values = item.outputs.length === 1 ? [value] : (value as readonly unknown[]);
    const [first] = values;
    const isNumber = (typeof first === 'bigint' || typeof first === 'number') && first >= 0;
    return { text: exactJson(values), number: isNumber ? String(first) : undefined };
  } catch {
    return undefined;
  }
}

/** JSON with numbers as text, because readers of JSON round large ones. */
function exactJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'bigint' || typeof inner === 'number' ? String(inner) : inner,
  );
}
