/** Records that deployments serve, and other forms of them. The shape is made up: the specification does not show one. */
export const servedRecords = [
  {
    request_id: 'mr-7f3a91c2',
    site: 'Nancay',
    begins: '2031-03-04T02:14:07.250Z',
    ends: '2031-03-04T05:44:07.250Z',
    right_ascension_deg: 83.63308,
    declination_deg: 22.01446,
    lower_hz: 1420405751,
    upper_hz: 1427000000,
  },
  {
    request_id: 'mr-1d08be57',
    site: 'Effelsberg',
    begins: '2031-03-04T09:30:41.500Z',
    ends: '2031-03-04T11:02:11.500Z',
    right_ascension_deg: 299.86815,
    declination_deg: 40.73391,
    lower_hz: 4829659600,
    upper_hz: 4995250000,
  },
  {
    request_id: 'mr-c4e6620a',
    site: 'Medicina',
    begins: '2031-03-04T17:58:19.750Z',
    ends: '2031-03-04T21:13:49.750Z',
    right_ascension_deg: 187.70593,
    declination_deg: 12.39112,
    lower_hz: 22235079850,
    upper_hz: 22481500000,
  },
] as const;

export const [first] = servedRecords;
export const asJson = JSON.stringify(servedRecords);
export const byId = Object.fromEntries(servedRecords.map(({ request_id, ...one }) => [request_id, one]));

/** One of an endless list. */
export const numberedRecord = (nth: number) => ({
  request_id: `mr-${nth * 7919}`,
  lower_hz: 1_400_000_000 + nth * 3571,
});
