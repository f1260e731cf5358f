/** A document of XML as its readers see it. */
import { SaxesParser } from 'saxes';

export interface Element {
  name: string;
  attributes: Record<string, string>;
  text: string;
  children: Element[];
}

/** Reads a document; throws where it is not well-formed XML 1.0. */
export function parse(xml: string): Element {
  const root: Element = { name: '', attributes: {}, text: '', children: [] };
  const open = [root];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes, text: '', children: [] };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    (open.at(-1) ?? root).text += text;
  });
  parser.on('closetag', () => {
    open.pop();
  });
  // Bytes, as a reader of the file gets them: a lone surrogate would not survive.
  parser.write(Buffer.from(xml).toString()).close();
  return root;
}

/** Every element of this name, at any depth. */
export const all = (element: Element, name: string): Element[] => [
  ...element.children.filter((child) => child.name === name),
  ...element.children.flatMap((child) => all(child, name)),
];
