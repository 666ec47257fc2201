import { dirname } from 'node:path';
import type { Effects } from '../../../src/effects.ts';
import { Fault } from '../../../src/fault.ts';
import type { ServiceResponse } from '../protocol/exchange.ts';
import { lakeCoverage } from './facts/coverage.ts';
import { TooManySessions, WarehouseReader } from './facts/warehouse-reader.ts';
import { PageProblem } from './page-problem.ts';
import { framedPage, type PageContent } from './pages/frame.ts';
import { refusalPage } from './pages/start-page.ts';
import { PAGES_POLICY } from './pages/style.ts';
import { parametersIn } from './parameters.ts';
import { type Shown, VIEWS } from './views.ts';

/** Read-only pages about a lake, at /explore. */
export interface Explorer {
  /** Whether the path is one of its pages, or below them. */
  has(path: string): boolean;
  /** Never rejects. `search` is the query, without its question mark. */
  answer(path: string, search: string): Promise<ServiceResponse>;
  close(): Promise<void>;
}

export interface ExplorerOptions {
  /** Path of the warehouse; it may be absent, and may be replaced at any time. */
  readonly warehouse: string;
  /** The data root; by default the folder of the warehouse. */
  readonly root?: string;
  readonly effects: Effects;
  /** Memory of the database that reads it, in bytes. */
  readonly memoryBytes: number;
  /** Time of one page, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number;
}

const ROOT = '/explore';
const TIMEOUT_MS = 10_000;

export function createExplorer(options: ExplorerOptions): Explorer {
  const { warehouse: path, memoryBytes, timeoutMs = TIMEOUT_MS, effects } = options;
  const { root = dirname(path) } = options;
  const reader = new WarehouseReader({ path, root, memoryBytes, timeoutMs });
  return {
    has: (pathname) => pathname === '/' || pathname === ROOT || pathname.startsWith(`${ROOT}/`),
    answer: async (pathname, search) => {
      try {
        return await reader.session(async (session) => {
          const coverage = await lakeCoverage(session);
          try {
            return responseOf(200, await prepared(pathname, search)(session), coverage);
          } catch (error) {
            return problemResponse(problemOf(error, effects), coverage);
          }
        });
      } catch (error) {
        return problemResponse(problemOf(error, effects), undefined);
      }
    },
    close: () => reader.close(),
  };
}

function prepared(pathname: string, search: string) {
  const below = pathname === '/' ? '' : pathname.slice(ROOT.length).replace(/^\/$/, '');
  for (const { path, parameters, prepare } of VIEWS) {
    const [whole, ...captured] = path.exec(below) ?? [];
    if (whole === undefined) continue;
    return prepare(
      captured.map((part) => part.toLowerCase()),
      parametersIn(search, parameters),
    );
  }
  throw new PageProblem(404, 'There is no such page', 'Use the search above.');
}

function problemOf(error: unknown, effects: Effects): PageProblem {
  if (error instanceof PageProblem) return error;
  if (error instanceof TooManySessions) {
    return new PageProblem(429, 'Too many pages at once', 'Try again in a few seconds.');
  }
  const reason = error instanceof Fault ? `${error.message} ${error.advice}` : String(error);
  effects.log('warn', `A page could not be shown: ${reason}`);
  if (error instanceof Fault && error.cause === undefined) {
    // The messages of faults of windrow itself name no data.
    return new PageProblem(503, 'The page cannot be shown', `${error.message} ${error.advice}`);
  }
  return new PageProblem(500, 'The page cannot be shown', 'The log of the service says why.');
}

function problemResponse(
  { status, title, message, searched }: PageProblem,
  coverage: Parameters<typeof framedPage>[1],
): ServiceResponse {
  const page = responseOf(status, refusalPage(title, [message], searched), coverage);
  const retry = status === 429 ? { 'retry-after': '2' } : {};
  return { ...page, headers: { ...page.headers, ...retry } };
}

function responseOf(
  status: number,
  shown: Shown,
  coverage: Parameters<typeof framedPage>[1],
): ServiceResponse {
  const isElsewhere = 'redirect' in shown;
  const content: PageContent = isElsewhere ? refusalPage('See the other page', []) : shown;
  return {
    status: isElsewhere ? 303 : status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': PAGES_POLICY,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
      ...(isElsewhere ? { location: shown.redirect } : {}),
    },
    body: framedPage(content, coverage),
  };
}
