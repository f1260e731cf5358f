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
  lines: 'a\r\nb\n\n# c\u2028d\u2029e\ff\vg\th\n</details>',
  bidi: 'a\u202egnp.exe\u202c\u2066b\u200f\ufeff\u00ad',
  surrogates: 'a\ud800b\udc00c\ufffe\uffff',
  shell: '\'; touch taken; echo \'$(touch taken)`touch taken` \\ "$HOME" !! [1-9]{a,b} >taken -o x',
};

/** Members that hold a word from a list, and nothing else. */
const CHOSEN = ['outcome', 'verdict', 'severity', 'kind', 'type', '$schema'];

/**
 * `report` with `text` before and after every string that is not empty, names of form fields and headers included.
 * Equal strings stay equal, so ids still lead to what they name. Members named in `chosen` stay as they are.
 */
export function poisoned<T>(report: T, text: string, chosen: readonly string[] = CHOSEN): T {
  const poison = (value: unknown, name: string): unknown => {
    if (typeof value === 'string')
      return chosen.includes(name) || value === '' ? value : `${text}${value}${text}`;
    if (Array.isArray(value)) return value.map((member) => poison(member, ''));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        name === 'form' ? `${text}${key}` : key,
        poison(member, key),
      ]),
    );
  };
  return poison(report, '') as T;
}
