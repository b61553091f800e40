// The one contract of Kubernetes API servers, for the embedded one and a real kube-apiserver alike.
import { afterAll, beforeAll, describe } from 'vitest';
import { clientOf } from './apiserver-client.ts';
import type { Client, ServerUnderTest, StartOptions, StartServer } from './apiserver-client.ts';
import { patchContract, replaceContract } from './apiserver-change.ts';
import { createContract } from './apiserver-create.ts';
import { deleteContract } from './apiserver-delete.ts';
import { endpointContract } from './apiserver-endpoints.ts';
import { listContract } from './apiserver-lists.ts';
import { managedFieldsContract } from './apiserver-managed-fields.ts';
import { mirroringContract } from './apiserver-mirroring.ts';
import { otherContract } from './apiserver-others.ts';
import { requestContract } from './apiserver-requests.ts';
import { dualStackContract, smallRangeContract } from './apiserver-service-ranges.ts';
import { serviceContract } from './apiserver-services.ts';
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
      endpointContract(use);
      mirroringContract(use);
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
