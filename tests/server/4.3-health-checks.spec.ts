import { healthChecks } from './requirements/4.3-health-checks.ts';
import { testEach } from './support/test.ts';

testEach(healthChecks);
