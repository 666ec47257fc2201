import { EMPTIES } from './families/empties.ts';
import { testFamilies } from './family-tests.ts';

testFamilies('services that answer empty lists', EMPTIES);
