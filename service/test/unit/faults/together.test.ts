import { expect, it } from 'vitest';
import { faultyService } from '../../../../test/fixtures/service-faults-setup.ts';

it.each([
  'wrong-type, as: numbers',
  'wrong-type, as: data-null',
  'drop-field, field: height',
  'clamp-limit, most: 2, echo: asked',
])('a body that is broken stays so where it should be changed as well (%s)', async (fault) => {
  const both = faultyService(`faults: [{ fault: ${fault} }, { fault: malformed }]`);
  const { status, body } = await both.get();
  expect(status).toBe(200);
  expect(() => JSON.parse(body) as unknown).toThrow(SyntaxError);
});
