import type { Effects, LogLevel } from '../../effects.ts';

/** Takes messages for people; the level is `info` by default. */
export type Note = (text: string, level?: LogLevel | 'error') => void;

/** The surroundings of a piece of work: effects, and the place of its messages. */
export interface Surroundings {
  readonly effects: Effects;
  readonly note: Note;
}
