// The one contract of Kubernetes API servers, for the embedded one and a real kube-apiserver alike.
import { afterAll, beforeAll, describe } from 'vitest';
import { clientOf } from './apiserver-client.ts';
import type { Client, ServerUnderTest, StartOptions, StartServer } from './apiserver-client.ts';
import { patchContract, replaceContract } from './apiserver-change.ts';
import { createContract } from './apiserver-create.ts';
import { deleteContract } from './apiserver-delete.ts';
import { dualStackContract, sixFirstContract, sixOnlyContract } from './apiserver-dual-stack.ts';
import { endpointContract } from './apiserver-endpoints.ts';
import { garbageContract } from './apiserver-garbage.ts';
import { listContract } from './apiserver-lists.ts';
import { managedFieldsContract } from './apiserver-managed-fields.ts';
import { mirroringContract } from './apiserver-mirroring.ts';
import { mirroredSubsetContract } from './apiserver-mirroring-subsets.ts';
import { otherContract } from './apiserver-others.ts';
import { requestContract } from './apiserver-requests.ts';
import { smallRangeContract } from './apiserver-service-ranges.ts';
import { serviceShapeContract } from './apiserver-service-shapes.ts';
import { serviceContract } from './apiserver-services.ts';
import { sliceContentContract } from './apiserver-slices.ts';
import { watchContract } from './apiserver-watch.ts';

/** The same assertions for every implementation. @param start makes a server for this suite alone */
export function apiServerContract(name: string, start: StartServer): void {
  describe(`API server: ${name}`, () => {
    withServer(start, {}, (use, server) => {
      requestContract(use);
      createContract(use);
      replaceContract(use);
      patchContract(use);
      deleteContract(use);
      managedFieldsContract(use);
      serviceContract(use);
      serviceShapeContract(use);
      endpointContract(use);
      sliceContentContract(use);
      mirroringContract(use);
      mirroredSubsetContract(use);
      otherContract(use);
      listContract(use, server);
      watchContract(use);
    });
  });
  describe(`API server: ${name}, with a small service range`, () => {
    withServer(start, { serviceRange: '10.97.0.0/29' }, smallRangeContract);
  });
  describe(`API server: ${name}, dual stack`, () => {
    withServer(start, { serviceRange: '10.98.0.0/24,fd00:98::/112' }, dualStackContract);
  });
  describe(`API server: ${name}, dual stack with IPv6 first`, () => {
    withServer(start, { serviceRange: 'fd00:99::/112,10.99.0.0/24' }, sixFirstContract);
  });
  describe(`API server: ${name}, with IPv6 alone`, () => {
    withServer(start, { serviceRange: 'fd00:97::/112' }, sixOnlyContract);
  });
  describe(`API server: ${name}, with its garbage collector`, () => {
    withServer(start, { garbageCollector: true }, garbageContract);
  });
}

type Part = (use: () => Client, server: () => ServerUnderTest) => void;

function withServer(start: StartServer, options: StartOptions, part: Part): void {
  let server: ServerUnderTest | undefined;
  let client: Client | undefined;
  beforeAll(async () => {
    server = await start(options);
    client = clientOf(server);
  });
  afterAll(async () => {
    await client?.close();
    await server?.close();
  });
  part(
    () => started(client),
    () => started(server),
  );
}

function started<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the server is not started yet');
  return value;
}
