// Colour for terminals, and text from clusters made safe to print.
const CODES = { green: 32, yellow: 33, red: 31, bold: 1, dim: 2 } as const;

export type Colour = keyof typeof CODES;
export type Paint = (colour: Colour, text: string) => string;

const ESCAPE = '\u001B';

export const colourful: Paint = (colour, text) => `${ESCAPE}[${CODES[colour]}m${text}${ESCAPE}[0m`;
export const plain: Paint = (_, text) => text;

/** Without control characters: names and messages come from clusters and must not steer the terminal. */
export const printable = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');
