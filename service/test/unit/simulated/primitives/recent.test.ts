import { describe, expect, it } from 'vitest';
import { recentAnswers } from '../../../../src/simulated/primitives/recent.ts';

describe('recent answers', () => {
  it('are computed once, and forgotten when too many came after them', () => {
    const computed: number[] = [];
    const answer = recentAnswers((height) => {
      computed.push(height);
      return { height };
    }, 2);
    for (const height of [1, 2, 1, 2]) expect(answer(height)).toEqual({ height });
    expect(computed).toEqual([1, 2]);
    answer(3);
    answer(2);
    expect(computed).toEqual([1, 2, 3]);
    answer(1);
    expect(computed).toEqual([1, 2, 3, 1]);
  });
});
