import { errors } from './requirements/7-errors.ts';
import { testEach } from './support/test.ts';

testEach(errors);
