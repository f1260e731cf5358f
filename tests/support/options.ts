/** What users give by options and variables: durations, the paths of health checks (clause 4.3), addresses. */
import ms, { type StringValue } from 'ms';
import { UsageError } from './usage-error.ts';

// Durations: a bare number is seconds.

/** Seconds in `text`; `name` is the option or variable that it came from. Throws UsageError unless above zero. */
export function parseDuration(text: string, name = 'the duration'): number {
  const given = text.trim();
  const isTimed = /^[\d.]+ ?[a-z]+$/i.test(given);
  const seconds = isTimed ? ms(given as StringValue) / 1000 : /^[\d.]+$/.test(given) ? Number(given) : 0;
  if (Number.isFinite(seconds) && seconds > 0) return seconds;
  throw new UsageError(
    `${name} is "${text}", which is not a duration above zero. Write seconds, or a number with a unit: 90, 15m, 1h.`,
  );
}

/** Parses a duration from `least` to `most`. Timers end at 24 days, and a longer one would fire at once. Throws UsageError. */
export const timeLimit =
  (least: string, most: string) =>
  (text: string, name: string): number => {
    const seconds = parseDuration(text, name);
    if (seconds >= parseDuration(least) && seconds <= parseDuration(most)) return seconds;
    throw new UsageError(`${name} is "${text}". Give a duration from ${least} to ${most}.`);
  };

/** Parses the time limit of one exchange. */
export const parseTimeout = timeLimit('100ms', '1h');

/** `seconds` in the largest unit that divides it: `900` is `15m`, `90` is `90s`. */
export function formatDuration(seconds: number): string {
  const units = Object.entries({ d: 86_400, h: 3600, m: 60, s: 1 });
  const [unit, size] = units.find(([, size]) => seconds % size === 0) ?? ['ms', 0.001];
  return `${Math.round(seconds / size)}${unit}`;
}

/**
 * Paths below the base URL, each with its method before it if that is not GET, after those given `before`. Throws
 * UsageError; `name`: the option.
 */
export function readHealthPaths(text: string, name: string, before: unknown = []): string[] {
  const paths = text.split(',').flatMap((path) => path.trim() || []);
  for (const path of paths) {
    if (/^(GET )?\/ods_data\/?$|^POST \/token\/?$/.test(path))
      throw new UsageError(`${name} holds "${path}", which is not a health check. Remove it.`);
    if (/^((GET|HEAD|POST) )?https?:/i.test(path))
      throw new UsageError(
        `${name} holds a URL. Give only its path below the base URL, as /health/ for https://mrs.example/health/.`,
      );
    if (!/^((GET|HEAD|POST) )?\/[\x21-\x7e]*$/.test(path))
      throw new UsageError(
        `${name} holds "${path}". Each path starts with a slash, or a method before it: /health/,POST /ready/.`,
      );
  }
  return [...(before as string[]), ...paths];
}

/** The method and the path, with its query, of a health check. */
export function partsOf(check: string): [method: string, path: string] {
  const at = check.indexOf('/');
  return [check.slice(0, at).trim() || 'GET', check.slice(at)];
}

/** Whether `url` names this machine (RFC 6761 section 6.3, RFC 1122 section 3.2.1.3). */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/** What a user of recorded traffic can do without a new recording, as the end of a reason. */
export const OPTION_ADVICE = {
  lifetime: 'Give --token-lifetime.',
  otherLifetime: 'Ask the operator which is right, or correct --token-lifetime.',
} as const;
