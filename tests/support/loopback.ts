/** Whether `url` names this machine (RFC 6761 section 6.3, RFC 1122 section 3.2.1.3). */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}
