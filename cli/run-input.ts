// Everything that a run on two clusters needs, read from its flags: whatever is wrong is told together, before anything runs.
import { InputError } from '../lib/errors.ts';
import type { ObjectKey } from '../lib/model/keys.ts';
import type { Link } from '../lib/model/link.ts';
import type { World } from '../lib/reconcile.ts';
import type { Services } from './command.ts';
import { allOf, isGiven, lastOf, type GivenFlags } from './flags.ts';
import type { Io } from './io.ts';
import { readLocalLink } from './link-input.ts';
import { formatOf, namespacesOf, servicesOf, withFlagMistakes, type Format } from './values.ts';

export interface RunInput {
  readonly link: Link;
  readonly world: World;
  readonly format: Format;
  readonly namespaces: readonly string[];
  readonly services: readonly ObjectKey[];
  readonly forceDeletes: boolean;
  readonly close: () => Promise<void>;
}

export interface InputTerms {
  readonly flags: GivenFlags;
  readonly io: Io;
  readonly services: Services;
  /** Found before. */
  readonly mistakes: readonly string[];
}

/** @throws InputError with all mistakes: of flags, the link document, and the files and servers that they name */
export async function readInput({ flags, io, services, mistakes }: InputTerms): Promise<RunInput> {
  const { link, source, target, mistakes: linkMistakes } = await readLocalLink(flags);
  const format = formatOf(flags);
  const namespaces = namespacesOf(flags);
  const exported = servicesOf(flags);
  const settings = {
    source,
    target,
    dns: allOf(flags, 'dns'),
    stateFile: lastOf(flags, 'state'),
    link: link?.name,
  };
  const opened = await services.makeWorld(settings, io.clock);
  const all = withFlagMistakes(flags, [
    ...mistakes,
    ...linkMistakes,
    ...[format, namespaces, exported].flatMap((part) => part.mistakes),
    ...opened.mistakes,
  ]);
  if (all.length > 0 || link === undefined || opened.world === undefined) {
    await opened.close();
    throw new InputError(all);
  }
  return {
    link,
    world: opened.world,
    format: format.value,
    namespaces: namespaces.value,
    services: exported.value,
    forceDeletes: isGiven(flags, 'force-deletes'),
    close: opened.close,
  };
}
