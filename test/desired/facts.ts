// The facts that a decision depends on, with sane defaults: a Service that is exported and has a ready endpoint.
import type { Facts } from '../../lib/desired/facts.ts';
import { readPods } from '../../lib/desired/pods.ts';
import type { LinkDocument } from '../../lib/model/link.ts';
import type { EndpointSlice } from '../../lib/model/objects.ts';
import { linkOf } from '../support/lab.ts';
import { exported, gatewayView } from '../support/model-builders.ts';

export type GivenFacts = Partial<Omit<Facts, 'link' | 'pods'>> & {
  readonly link?: Partial<LinkDocument>;
  readonly slices?: readonly EndpointSlice[]; // of the Service
};

export const facts = ({ link, slices = [], ...given }: GivenFacts = {}): Facts => ({
  link: linkOf(link),
  service: exported(),
  ready: true,
  pods: readPods(slices),
  gateway: gatewayView(),
  namespace: 'present',
  standing: 'absent',
  ...given,
});
