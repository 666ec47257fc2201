import { PAIRS } from './families/pairs.ts';
import { REQUESTS } from './families/requests.ts';
import { testFamilies } from './family-tests.ts';

testFamilies('services whose answers depend on their requests', REQUESTS);
testFamilies('services with two faults', PAIRS);
