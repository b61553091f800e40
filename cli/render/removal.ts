// What `unlink` did, as text for people.
import type { Removal } from '../answers.ts';
import type { Paint } from './paint.ts';
import { blocks, findingLines } from './report.ts';

export function removalText(removal: Removal, keptMirrors: boolean, paint: Paint): string {
  const { link, done, deleted, failed } = removal;
  if (keptMirrors) return `link ${link} is forgotten; its mirrors stay as they are\n`;
  const objects = `${deleted} ${deleted === 1 ? 'object' : 'objects'} deleted`;
  const last = done
    ? `${objects}; link ${link} is forgotten`
    : `${objects}${failed > 0 ? `, ${failed} not deleted` : ''}; link ${link} is ending: the next ticks go on`;
  return blocks([findingLines(removal, paint), [last]]);
}
