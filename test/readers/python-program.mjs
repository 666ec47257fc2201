import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** A program in Python as one process, which answers line by line. */
export class PythonProgram {
  #child;
  #answers;

  constructor(python, name) {
    this.#child = spawn(python, [here(name), '-'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async ask(job) {
    this.#child.stdin.write(`${JSON.stringify(job)}\n`);
    const { value, done } = await this.#answers.next();
    if (done) throw new Error('A program in Python has ended.');
    return value;
  }

  async call(job) {
    return JSON.parse(await this.ask(job));
  }

  close() {
    this.#child.stdin.end();
  }
}
