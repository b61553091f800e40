// Prints entries and pages as answers.
import { apiVersionOf } from '../verbs/target.ts';
import type { Target } from '../verbs/target.ts';
import type { Page } from '../verbs/list.ts';
import type { Entry } from '../storage/entry.ts';
import type { Form } from './negotiate.ts';

export const printEntry = (entry: Entry, { version }: Target, form: Form): string =>
  form === 'metadata' ? entry.metadataJson : entry.json(version);

/** List metadata leaves out what is empty. */
export function printPage(page: Page, target: Target, form: Form): string {
  const { resourceVersion, continueToken, remaining } = page;
  const metadata = JSON.stringify({
    resourceVersion: String(resourceVersion),
    // Lists of custom resources print an empty token.
    ...(continueToken === '' && (form === 'metadata' || !target.type.custom)
      ? {}
      : { continue: continueToken }),
    ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
  });
  const items = page.entries.map((entry) =>
    form === 'metadata' ? entry.metadataJson : entry.itemJson(target.version),
  );
  const [kind, apiVersion] =
    form === 'metadata'
      ? ['PartialObjectMetadataList', 'meta.k8s.io/v1']
      : [`${target.type.kind}List`, apiVersionOf(target)];
  return `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${metadata},"items":[${items.join(',')}]}\n`;
}
