/** The value of the header `Date` (RFC 9110 section 6.6.1), written once for each second that is asked for in a row. */
export function createDates(): (milliseconds: number) => string {
  let second = Number.NaN;
  let text = '';
  return (milliseconds) => {
    const asked = Math.floor(milliseconds / 1000);
    if (asked !== second) {
      second = asked;
      text = new Date(milliseconds).toUTCString();
    }
    return text;
  };
}
