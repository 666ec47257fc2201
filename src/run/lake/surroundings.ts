import type { Effects, LogLevel } from '../../effects.ts';

/** Takes messages for people; the level is `info` by default. */
export type Note = (text: string, level?: LogLevel | 'error') => void;

/** Time between two lines about work of other processes. */
export const NOTE_MS = 10_000;

/** Tells whether another line is due. */
export function due({ now }: Pick<Effects, 'now'>): () => boolean {
  let lastMs = now();
  return () => {
    const isDue = now() - lastMs >= NOTE_MS;
    if (isDue) lastMs = now();
    return isDue;
  };
}

/** The surroundings of a piece of work: effects, and the place of its messages. */
export interface Surroundings {
  readonly effects: Effects;
  readonly note: Note;
}
