import { ORDER } from './families/order.ts';
import { testFamilies } from './family-tests.ts';

testFamilies('services with other orders and offsets', ORDER);
