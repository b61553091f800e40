// Prints what a command found, as text for people or as data for scripts.
import type { Data } from '../lib/runs/report-data.ts';
import { wantsColour, type Io } from './io.ts';
import { toJson, toYaml } from './render/data.ts';
import { colourful, plain, type Paint } from './render/paint.ts';
import type { Format } from './values.ts';

export interface View {
  readonly data: () => Data;
  readonly text: (paint: Paint) => string;
}

export function print(io: Io, format: Format, { data, text }: View): void {
  if (format === 'json') io.stdout.write(toJson(data()));
  else if (format === 'yaml') io.stdout.write(toYaml(data()));
  else io.stdout.write(text(wantsColour(io) ? colourful : plain));
}
