import { FACTS } from './families/facts.ts';
import { testFamilies } from './family-tests.ts';

testFamilies('services whose records contradict each other', FACTS);
