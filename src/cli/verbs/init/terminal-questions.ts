import { createInterface } from 'node:readline';
import { Fault } from '../../../fault.ts';
import type { Ask } from './questions.ts';

/**
 * Asks on a terminal. Lines that are typed before their question are kept for it. Throws
 * Fault('interrupted') when the user ends the input (Ctrl+C or Ctrl+D).
 */
export function terminalQuestions(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): { readonly ask: Ask; close(): void } {
  const terminal = createInterface({ input, output });
  let isClosed = false;
  terminal.on('SIGINT', () => terminal.close());
  terminal.on('close', () => {
    isClosed = true;
  });
  const lines = terminal[Symbol.asyncIterator]();
  const ask: Ask = async (question) => {
    terminal.setPrompt(question);
    if (!isClosed) terminal.prompt();
    const { value, done } = await lines.next();
    if (done !== true) return value;
    throw new Fault('interrupted', 'Interrupted.', {
      advice: 'Nothing was written: run windrow init again.',
    });
  };
  return { ask, close: () => terminal.close() };
}
