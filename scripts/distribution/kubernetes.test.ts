/** The manifest for Kubernetes: its parts fit each other, the image, the commands, and what README.md makes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { parseAllDocuments } from 'yaml';
import { MOCK_OPTIONS } from '../commands/mock-flags.ts';
import type { OptionTable } from '../commands/options.ts';
import { VERIFY_OPTIONS } from '../commands/verify.ts';
import { readYaml, root } from './testing/step.ts';

interface Container {
  image: string;
  args: [string, ...string[]];
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
  ports?: { name: string; containerPort: number }[];
  resources: object;
  securityContext: object;
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
  [probe: `${string}Probe`]: { httpGet: { path: string; port: string } };
}
interface Volume {
  name: string;
  emptyDir?: object;
  secret?: { secretName: string; defaultMode: number; items: { key: string; path: string }[] };
}
interface Pod {
  metadata: { labels: Record<string, string> };
  spec: { containers: [Container]; volumes: Volume[] };
}

const documents = parseAllDocuments(readFileSync(join(root, 'templates/kubernetes.yaml'), 'utf8'));
const [deployment, service, cronJob, ...others] = documents.map((one) => one.toJS());
const mockPod: Pod = deployment?.spec.template;
const verifyPod: Pod = cronJob?.spec.jobTemplate.spec.template;
const pods: [string, Pod, OptionTable][] = [
  ['mock', mockPod, MOCK_OPTIONS],
  ['verify', verifyPod, VERIFY_OPTIONS],
];
const valueIn = ({ spec }: Pod, name: string) =>
  spec.containers[0].env.find((one) => one.name === name)?.value;

/** Keys of the secret that README.md makes. */
const secretKeys = [
  ...readFileSync(join(root, 'templates/README.md'), 'utf8').matchAll(/--from-file=([\w.-]+)/g),
].map(([, key]) => key);

test('the manifest is valid YAML, with the three objects in the versions that Kubernetes serves', () => {
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  expect(others).toEqual([]);
  expect([deployment, service, cronJob].map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
    'apps/v1 Deployment',
    'v1 Service',
    'batch/v1 CronJob',
  ]);
});

test('the Deployment and the Service select the pods of the mock, and not those of the check', () => {
  const selectors = [deployment.spec.selector.matchLabels, service.spec.selector];
  for (const selector of selectors) {
    expect(mockPod.metadata.labels).toMatchObject(selector);
    expect(verifyPod.metadata.labels).not.toMatchObject(selector);
  }
});

test('the Service leads to the port of the image, and the check to the Service', () => {
  const [{ name, port, targetPort }] = service.spec.ports;
  expect(mockPod.spec.containers[0].ports).toEqual([{ name: targetPort, containerPort: 4010 }]);
  expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).toContain('\nEXPOSE 4010\n');
  expect([name, port]).toEqual(['http', 80]);
  expect(valueIn(verifyPod, 'MRS_BASE_URL')).toBe(`http://${service.metadata.name}`);
});

test('each probe asks a path that needs no key, on the port of the mock', () => {
  const [container] = mockPod.spec.containers;
  const { paths } = readYaml('mocks/control.openapi.yaml');
  for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'] as const) {
    const { path, port } = container[probe]?.httpGet ?? {};
    expect([probe, port, paths[path ?? '']?.get?.security]).toEqual([probe, 'http', []]);
  }
});

for (const [name, pod, table] of pods) {
  const [container] = pod.spec.containers;

  test(`${name} runs as a user without rights, on a file system that it cannot change`, () => {
    expect(pod.spec).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.resources).toMatchObject({ requests: { cpu: expect.any(String) }, limits: {} });
  });

  test(`${name} has the image of this version, a command, and options that the command has`, () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(container.image).toBe(`mrs-contract:${version}`);
    const [command, ...args] = container.args;
    expect(command).toBe(name);
    const rows = Object.values(table);
    for (const flag of args.filter((one) => one.startsWith('-')))
      expect(
        rows.some((row) => row.flag?.split(' ')[0] === flag),
        flag,
      ).toBe(true);
    const variables = container.env.filter((one) => one.name.startsWith('MRS_'));
    expect(variables.length).toBeGreaterThan(2);
    for (const variable of variables)
      expect(
        rows.some((row) => row.variable === variable.name),
        variable.name,
      ).toBe(true);
  });

  test(`${name} mounts each of its volumes, and reads only secrets that README.md makes`, () => {
    expect(container.volumeMounts.map((mount) => mount.name).sort()).toEqual(
      pod.spec.volumes.map((volume) => volume.name).sort(),
    );
    const items = pod.spec.volumes.flatMap(({ secret }) => {
      if (secret) expect([secret.secretName, secret.defaultMode]).toEqual(['mrs-mock', 0o440]);
      return secret?.items ?? [];
    });
    const references = container.env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []);
    for (const { name: secret } of references) expect(secret).toBe('mrs-mock');
    const keys = [...items, ...references].map(({ key }) => key);
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) expect(secretKeys).toContain(key);
    const folder = container.volumeMounts.find((mount) => mount.name === 'keys')?.mountPath;
    const files = container.env.flatMap((one) => (one.name.endsWith('_FILE') ? one.value : []));
    expect(files).toEqual(items.map(({ path }) => `${folder}/${path}`));
  });
}

test('the check has the client and the token lifetime of the mock', () => {
  const [id, secret] = valueIn(mockPod, 'MRS_CLIENT')?.split(':') ?? [];
  expect(valueIn(verifyPod, 'MRS_CLIENT_ID')).toBe(id);
  // Kubernetes puts in the value of a variable that was listed before.
  const names = mockPod.spec.containers[0].env.map(({ name }) => name);
  expect(names.slice(0, names.indexOf('MRS_CLIENT')).map((name) => `$(${name})`)).toContain(secret);
  expect(valueIn(verifyPod, 'MRS_TOKEN_LIFETIME')).toBe(valueIn(mockPod, 'MRS_TOKEN_LIFETIME'));
});

test('a check is not repeated, and does not run twice at once', () => {
  expect(cronJob.spec.concurrencyPolicy).toBe('Forbid');
  expect(cronJob.spec.jobTemplate.spec).toMatchObject({ backoffLimit: 0, activeDeadlineSeconds: 1200 });
  expect(verifyPod.spec).toMatchObject({ restartPolicy: 'Never' });
});
