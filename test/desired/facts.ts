// The facts that a decision depends on, with sane defaults: a Service that is exported and has a ready endpoint.
import type { Facts } from '../../lib/desired/facts.ts';
import type { LinkDocument } from '../../lib/model/link.ts';
import { linkOf } from '../support/lab.ts';
import { exported, gatewayView } from '../support/model-builders.ts';

export type GivenFacts = Partial<Omit<Facts, 'link'>> & { readonly link?: Partial<LinkDocument> };

export const facts = ({ link, ...given }: GivenFacts = {}): Facts => ({
  link: linkOf(link),
  service: exported(),
  ready: true,
  slices: [],
  gateway: gatewayView(),
  namespace: 'present',
  standing: 'absent',
  ...given,
});
