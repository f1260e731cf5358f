/** Whether a request comes from a page of another site. */
import type { IncomingHttpHeaders } from 'node:http';

/**
 * A page of another site must not reach the control API, not even through a name that it resolves to this address.
 * Returns why the request is refused; `listening` is the address that the mock listens on.
 */
export function foreignRequestProblem(headers: IncomingHttpHeaders, listening: string): string | undefined {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  const name = host.replace(/:\d+$/, '').toLowerCase();
  const isOpen = listening === '0.0.0.0' || listening === '::';
  const isOwn = name === listening || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(name);
  if (!isOpen && !isOwn)
    return `The control API is not available at the host ${name.slice(0, 100)}. Use ${listening}.`;
  if (site === 'cross-site' || (origin !== undefined && origin !== `http://${host}`))
    return 'The control API does not answer pages of other sites.';
  return undefined;
}
