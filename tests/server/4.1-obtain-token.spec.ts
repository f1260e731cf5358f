import { obtainToken } from './requirements/4.1-obtain-token.ts';
import { testEach } from './support/test.ts';

testEach(obtainToken);
