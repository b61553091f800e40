// JSON.parse with messages like those of Go's decoder.

/** A text that is no JSON. */
export class JsonError extends Error {}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const character = position === undefined ? undefined : text[Number(position)];
    if (character === undefined) throw new JsonError('unexpected end of JSON input');
    throw new JsonError(
      `invalid character '${character}' looking for beginning of ${wanted(text, Number(position))}`,
    );
  }
}

const wanted = (text: string, position: number): string =>
  /[{,]\s*$/.test(text.slice(0, position)) ? 'object key string' : 'value';
