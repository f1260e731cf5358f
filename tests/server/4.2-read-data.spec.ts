import { readData } from './requirements/4.2-read-data.ts';
import { testEach } from './support/test.ts';

testEach(readData);
