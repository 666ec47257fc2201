import { Fault } from '../fault.ts';
import { shown } from './problem.ts';

/** What keeps a text from being the address of a source: what is wrong, and what to do. */
interface UrlProblem {
  readonly what: string;
  readonly advice: string;
}

/** Why the text cannot be a source's base address, or undefined when it can. */
export function urlProblem(text: string): UrlProblem | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:\/\//i.test(text)) {
    return {
      what: 'is not an http or https address',
      advice: 'Give the whole address of the service, as in https://explorer.example.',
    };
  }
  if (url.username !== '' || url.password !== '') {
    return {
      what: 'holds a user name or password',
      advice: 'Remove it; secrets come from the environment or from a file of their own.',
    };
  }
  if (/[?#\s]/.test(text)) {
    return {
      what: 'has a query, a fragment or a space',
      advice: 'Give the address without it; paths of the service are added after it.',
    };
  }
  return undefined;
}

/** The address without a slash at its end, so that paths can be added to it. */
export function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

/** The base address that `--source-url` gives. Throws a usage fault when it is not one. */
export function parseSourceUrl(text: string, option = '--source-url'): string {
  const problem = urlProblem(text);
  if (problem === undefined) return withoutSlash(text);
  throw new Fault('usage', `${option} ${problem.what} (${shown(text)}).`, {
    advice: problem.advice,
  });
}
