/** Text that a deployment, a client or a feed might send to deceive a reader of its report. */

/** Texts that would come alive, break out or deceive somewhere. */
export const HOSTILE: Record<string, string> = {
  script: '<script>document.title="taken"</script>',
  attribute: '"><img src=x onerror="document.title=\'taken\'">',
  quotes: `' onfocus='document.title="taken"' autofocus='`,
  comment: '--><!-- ]]> <![CDATA[ </title></style></pre></code>',
  entity: '&lt;b&gt; &#60;script&#62; &xxe; %00',
  terminal: '\u001b[31mred\u001b]8;;http://evil.example/\u0007link\u0000\u009b2J',
  formula: '=HYPERLINK("http://evil.example/";"x")',
  markdown: '![x](http://evil.example/i.png) [x](javascript:alert(1)) **b** <b>x</b> # h',
  table: 'a | b \\| c \\\\| d `|` ``x`` ```\n```\n| --- |\n~~~',
  ticks: '` <img src=x> **b** `` ![x](y) ``` <b>',
  mention: '@octocat octocat@evil.example http://evil.example/ www.evil.example #1 :tada:',
  address: 'www.evil.example ',
  lines: 'a\r\nb\n\n# c\u2028d\u2029e\ff\vg\th\n</details>',
  bidi: 'a\u202egnp.exe\u202c\u2066b\u200f\ufeff\u00ad',
  surrogates: 'a\ud800b\udc00c\ufffe\uffff',
  shell: '\'; touch taken; echo \'$(touch taken)`touch taken` \\ "$HOME" !! [1-9]{a,b} >taken -o x',
};

/** Members of a report that hold our own words whatever was judged, or a command of which each word is quoted. */
const OWN = new Set(
  (
    '$schema suite runId judge name outcome reason word tally warning verdict severity group statement about anchor caption ' +
    'columns to command source requirement'
  ).split(' '),
);

/**
 * `value` with `text` before and after every string that can come from outside and is not empty, names of form fields
 * included. Equal strings stay equal, so ids still lead to what they name.
 */
export function poisoned<T>(value: T, text: string, own: ReadonlySet<string> = OWN): T {
  const poison = (one: unknown, name: string, parent: string): unknown => {
    // A section has a title of its own.
    if (own.has(name) && !(name === 'reason' && parent === 'items')) return one;
    if (parent === 'sections' && ['id', 'title'].includes(name)) return one;
    if (typeof one === 'string') return one === '' ? one : `${text}${one}${text}`;
    if (Array.isArray(one)) return one.map((member) => poison(member, '', name));
    if (one === null || typeof one !== 'object') return one;
    return Object.fromEntries(
      Object.entries(one).map(([key, member]) => [
        name === 'form' ? `${text}${key}` : key,
        poison(member, key, name || parent),
      ]),
    );
  };
  return poison(value, '', '') as T;
}
