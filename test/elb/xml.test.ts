// The XML of AWS's query APIs, and what is none.
import { describe, expect, it } from 'vitest';
import { allAt, parseXml, textAt } from '../../lib/elb/xml.ts';

describe('XML', () => {
  it('is read as elements and their text', () => {
    const root = parseXml(
      '<?xml version="1.0"?><!-- <b>no</b> --><a xmlns="x:y"><b> one </b><c/><b>t&lt;w&amp;lt;o</b></a>\n',
    );
    expect(root?.name).toBe('a');
    expect(allAt(root, ['b']).map(({ text }) => text)).toEqual([' one ', 't<w&lt;o']);
    expect([textAt(root, 'b'), textAt(root, 'c'), textAt(root, 'c', 'd')]).toEqual(['one', '', '']);
  });

  it.each(['', 'text', '<a>', '<a><b></a></b>', '</a>'])('is not %j', (text) => {
    expect(parseXml(text)).toBeUndefined();
    expect(textAt(undefined, 'a')).toBe('');
  });
});
