// Cuts a label selector into tokens, as apimachinery's lexer does.

export type TokenKind = 'identifier' | 'symbol' | 'end' | 'error';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const SPECIAL = /[=!(),<>]/;
const SYMBOLS: ReadonlySet<string> = new Set([')', ',', '!', '==', '=', '>', '<', '!=', '(']);

/** The last token is always the end. */
export function tokenize(selector: string): Token[] {
  const tokens: Token[] = [];
  let rest = selector.trimStart();
  while (rest !== '') {
    const token = SPECIAL.test(rest[0] ?? '') ? symbol(rest) : identifier(rest);
    tokens.push(token);
    rest = rest.slice(token.kind === 'error' ? rest.length : token.text.length).trimStart();
  }
  return [...tokens, { kind: 'end', text: '' }];
}

const identifier = (rest: string): Token => ({
  kind: 'identifier',
  text: /^[^=!(),<>\s]+/.exec(rest)?.[0] ?? '',
});

/** The longest symbol; a run of special characters that begins with none is an error. */
function symbol(rest: string): Token {
  const run = /^[=!(),<>]+/.exec(rest)?.[0] ?? '';
  for (const length of [2, 1]) {
    const text = run.slice(0, length);
    if (text.length === length && SYMBOLS.has(text)) return { kind: 'symbol', text };
  }
  return { kind: 'error', text: `error expected: keyword found '${run}'` };
}
