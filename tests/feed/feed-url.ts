/** The URL of a feed. It may hold a key: no message repeats it. */
import { UsageError } from '../support/usage-error.ts';

/** Whether a feed is at a URL, be it an invalid one; otherwise it is in a file. */
export const isUrl = (feed: string): boolean => /^\s*(https?:|[a-z][a-z\d+.-]+:\/\/)/i.test(feed);

/** Throws UsageError for what `mrs feed` does not read. */
export function feedUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError('The URL of the feed is not an http or https URL. Correct it, or name a file.');
  if (url.username || url.password)
    throw new UsageError(
      'The URL of the feed contains a user name or a password. Remove them: mrs feed sends no credentials. ' +
        'For a feed that needs a token, fetch it yourself and pipe it: curl … | mrs feed -',
    );
  return url;
}
