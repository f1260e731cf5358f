import { service } from './requirements/1-service.ts';
import { testEach } from './support/test.ts';

testEach(service);
