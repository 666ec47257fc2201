import { Fault } from '../../fault.ts';
import { shown } from './problem.ts';

interface UrlProblem {
  /** A clause that follows the name of the value. */
  readonly message: string;
  readonly advice: string;
}

/** The problem of a text as the base address of a source; undefined for a valid one. */
export function urlProblem(text: string, more = ''): UrlProblem | undefined {
  const problem = (message: string, advice: string): UrlProblem => {
    return { message, advice: `${advice} ${more}`.trim() };
  };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:\/\//i.test(text)) {
    const advice = 'Give the whole address of the service, as in https://explorer.example.';
    return problem('is not an http or https address', advice);
  }
  if (url.username !== '' || url.password !== '') {
    const advice = 'Remove it; secrets come from the environment or from a separate file.';
    return problem('holds a user name or password', advice);
  }
  if (!/[?#\s]/.test(text)) return undefined;
  const advice = 'Give the address without it; paths of the service are added after it.';
  return problem('has a query, a fragment or a space', advice);
}

/** The address without slashes at its end, so that paths can be appended. */
export function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

/** The base address in `--source-url`. Throws a usage fault for an invalid one. */
export function parseSourceUrl(text: string, option = '--source-url'): string {
  const problem = urlProblem(text);
  if (problem === undefined) return withoutSlash(text);
  throw new Fault('usage', `${option} ${problem.message} (${shown(text)}).`, {
    advice: problem.advice,
  });
}
