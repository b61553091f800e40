// Reads a link document: everything that is wrong with it is reported together, rules that span fields included.
import { isIP } from 'node:net';
import { InputError } from './errors.ts';
import { mistakeLine, mistakesOf, type Mistake } from './mistakes.ts';
import { linkSchema, type Link } from './model/link.ts';
import { withoutUnknownFields } from './schema.ts';
import { quoted } from './wording.ts';

export interface ParseOptions {
  /** refuse where a person types the document; tolerate (and drop) in stored documents and Link resources */
  readonly unknown: 'refuse' | 'tolerate';
}

export type LinkCheck =
  | { readonly link: Link; readonly mistakes: readonly [] }
  | { readonly link?: never; readonly mistakes: readonly Mistake[] };

/**
 * The link that a document describes, defaults filled in.
 * @throws InputError with one line `field.path: expected …, got …` for each mistake
 */
export function parseLink(input: unknown, options: ParseOptions): Link {
  const check = checkLink(input, options);
  if (check.link === undefined) throw new InputError(check.mistakes.map(mistakeLine));
  return check.link;
}

/** Like parseLink, with the mistakes as data for callers that name fields in their own way. */
export function checkLink(input: unknown, { unknown }: ParseOptions): LinkCheck {
  const document = unknown === 'tolerate' ? withoutUnknownFields(input, linkSchema) : input;
  const parsed = linkSchema.safeParse(document);
  const mistakes = [
    ...mistakesOf(parsed.error?.issues ?? [], linkSchema, document),
    ...RULES.flatMap((rule) => rule(soundFields(document))),
  ];
  return parsed.success && mistakes.length === 0 ? { link: parsed.data, mistakes: [] } : { mistakes };
}

/** The fields that are right by themselves, so that rules which span fields can speak although others are wrong. */
function soundFields(document: unknown): Partial<Link> {
  if (typeof document !== 'object' || document === null) return {};
  const given = new Map<string, unknown>(Object.entries(document));
  const fields = Object.entries(linkSchema.shape).flatMap(([name, schema]) => {
    const parsed = schema.safeParse(given.get(name));
    return parsed.success ? [[name, parsed.data] as const] : [];
  });
  return Object.fromEntries(fields);
}

type Rule = (link: Partial<Link>) => readonly Mistake[];

/** A Service's name has at most 63 characters (Kubernetes), a mirror's is `<service>-<link>`. */
const LONGEST_NAME = 63;
const GATEWAY_MIRROR = 'gateway-'; // the Service of the gateway mirror is called `gateway-<link>`
const SHORTEST_SERVICE = 'x-';

const leavesRoomForNames: Rule = ({ name, gateway, gatewayMirror }) => {
  if (name === undefined) return [];
  const hasGatewayMirror = gateway !== undefined && gateway !== 'none' && gatewayMirror !== 'none';
  const longest = LONGEST_NAME - (hasGatewayMirror ? GATEWAY_MIRROR : SHORTEST_SERVICE).length;
  if (name.length <= longest) return [];
  const why = hasGatewayMirror ? `so that gateway-<name> fits` : 'so that <service>-<name> fits';
  const text = `expected at most ${longest} characters (${why} into ${LONGEST_NAME}), got ${name.length}`;
  return [{ path: ['name'], text }];
};

/** `<service>-federated` is what a federated Service is called, whatever the links are. */
const isNotFederated: Rule = ({ name }) =>
  name === 'federated'
    ? [
        {
          path: ['name'],
          text: 'expected another name (mirrors would be called like federated Services), got "federated"',
        },
      ]
    : [];

/** An FQDN slice and an ExternalName hold a hostname: pins that are all IP addresses leave none. */
const gatewayMirrorHasHostname: Rule = ({ gateway, gatewayMirror }) => {
  if (gateway === undefined || gateway === 'none' || gateway.addresses === undefined) return [];
  if (gatewayMirror !== 'fqdn' && gatewayMirror !== 'externalName') return [];
  if (gateway.addresses.some((address) => !isIP(address))) return [];
  const text = `expected addresses or none (gateway.addresses holds no hostname), got ${quoted(gatewayMirror)}`;
  return [{ path: ['gatewayMirror'], text }];
};

const RULES: readonly Rule[] = [leavesRoomForNames, isNotFederated, gatewayMirrorHasHostname];
