// Which deployment a command speaks to: its names, as serverless.yml gives them, and what commands ask of it.
import type { LinkStore } from '../lib/ports.ts';

export const SERVICE = 'eks-service-mirror';
export const DEFAULT_STAGE = 'dev';

/** The functions that the command line asks. */
export type StackFunction = 'resync' | 'status';

/** `eks-service-mirror-dev`, and what belongs to it. */
export const stackName = (stage: string): string => `${SERVICE}-${stage}`;
export const tableName = (stage: string): string => `${stackName(stage)}-state`;
export const functionName = (stage: string, name: StackFunction): string => `${stackName(stage)}-${name}`;

/** Where a stack is, as far as it was said; the rest is the usual configuration of AWS. */
export interface StackPlace {
  readonly stage: string;
  readonly region?: string;
}

export interface StatusQuestion {
  readonly link?: string; // absent: all
  /** The URL of the status function; absent: it is invoked by its name. */
  readonly url?: string;
  readonly signal?: AbortSignal | undefined;
}

/** What a function said over HTTP. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * One deployment. Methods throw StackError with one line for people for whatever AWS or a function does not do; InputError for
 * input that a function refuses, nothing was touched then; the links throw StateError for one that is stored but cannot be used.
 */
export interface Stack {
  readonly stage: string;
  readonly region: string;
  readonly links: Pick<LinkStore, 'list' | 'get' | 'put' | 'end' | 'remove'>;
  /** Addresses at which the gateway of a link is known to be; none when nothing is known of it. */
  gatewayAddresses(link: string): Promise<readonly string[]>;
  /** Runs a function to its end. When `signal` aborts, the waiting ends and the function goes on. */
  invoke(name: StackFunction, payload: unknown, signal?: AbortSignal): Promise<unknown>;
  /** Has a function run and does not wait for it. */
  start(name: StackFunction, payload: unknown): Promise<void>;
  status(question: StatusQuestion): Promise<HttpAnswer>;
  close(): void;
}

export type OpenStack = (place: StackPlace) => Promise<Stack>;

/** What a deployment, or AWS on the way to it, did not do. Safe to show. */
export class StackError extends Error {
  override readonly name = 'StackError';
}

/** `eks-service-mirror-dev in eu-west-1` */
export const stackText = ({ stage, region }: Pick<Stack, 'stage' | 'region'>): string =>
  `${stackName(stage)} in ${region}`;
