import { resources } from './requirements/2-resources.ts';
import { testEach } from './support/test.ts';

testEach(resources);
