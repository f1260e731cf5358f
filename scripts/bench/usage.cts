/**
 * Loaded into every server before its own code, since programs of others cannot be changed: reports what the process has
 * used whenever it is asked, and ends it with whoever started it.
 */
process.on('message', (message) => {
  if (message !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuSeconds: (user + system) / 1e6, rssBytes: process.memoryUsage.rss() });
});
process.once('disconnect', () => process.exit());
