/**
 * Loaded into every server before its own code, as `--require` can alone be given to programs of others: tells what
 * the process has used whenever it is asked, and ends it with whoever started it.
 */
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuSeconds: (user + system) / 1e6, rssBytes: process.memoryUsage.rss() });
});
process.once('disconnect', () => process.exit());
