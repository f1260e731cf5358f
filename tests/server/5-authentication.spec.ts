import { authentication } from './requirements/5-authentication.ts';
import { testEach } from './support/test.ts';

testEach(authentication);
