// What one needs to look inside a running sandbox: a kubeconfig for each cluster, and the variables by which AWS's clients, and so the
// command line, find the stand-ins.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KEY, REGION, STAGE } from './account.ts';
import type { ClusterAccess } from './api-client.ts';
import { kubeconfigText } from './apiserver/kubeconfig.ts';

export interface Endpoints {
  readonly dynamoDb: string;
  readonly sqs: string;
  readonly eks: string; // and STS
  readonly lambda: string;
  readonly statusUrl: string;
}

type Variables = Readonly<Record<string, string>>;

/** For services without a stand-in: nobody listens there (RFC 863), so that nothing leaves this computer. */
export const NOWHERE = 'http://127.0.0.1:9';

/** Region, credentials and endpoints of the functions, by the names that AWS's clients look for. */
export const awsVariables = ({
  dynamoDb,
  sqs,
  eks,
}: Pick<Endpoints, 'dynamoDb' | 'sqs' | 'eks'>): Variables => ({
  AWS_REGION: REGION,
  AWS_DEFAULT_REGION: REGION,
  AWS_ACCESS_KEY_ID: KEY.accessKeyId,
  AWS_SECRET_ACCESS_KEY: KEY.secretAccessKey,
  AWS_ENDPOINT_URL: NOWHERE,
  AWS_ENDPOINT_URL_DYNAMODB: dynamoDb,
  AWS_ENDPOINT_URL_SQS: sqs,
  AWS_ENDPOINT_URL_EKS: eks,
  AWS_ENDPOINT_URL_STS: eks,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: NOWHERE,
});

export interface Inside {
  readonly folder: string;
  readonly kubeconfigs: readonly string[];
  readonly env: string;
}

/** Removes the files that it wrote when `remove` is called: they open nothing any more. */
export async function writeInside(
  folder: string,
  clusters: readonly ClusterAccess[],
  endpoints: Endpoints,
): Promise<Inside & { readonly remove: () => Promise<void> }> {
  await mkdir(folder, { recursive: true });
  const kubeconfigs = clusters.map((cluster) => kubeconfigIn(folder, cluster));
  const env = join(folder, 'env');
  for (const cluster of clusters) await writePrivate(kubeconfigIn(folder, cluster), kubeconfigText(cluster));
  await writePrivate(env, envText(endpoints));
  const remove = async (): Promise<void> => {
    for (const file of [...kubeconfigs, env]) await rm(file, { force: true });
  };
  return { folder, kubeconfigs, env, remove };
}

const kubeconfigIn = (folder: string, { name }: ClusterAccess): string => join(folder, `${name}.kubeconfig`);

const writePrivate = (file: string, text: string): Promise<void> => writeFile(file, text, { mode: 0o600 });

/** For `source`, in any shell of the Bourne kind. No value holds a quote. */
function envText(endpoints: Endpoints): string {
  const variables: Variables = {
    ...awsVariables(endpoints),
    AWS_ENDPOINT_URL_LAMBDA: endpoints.lambda,
    EKS_SERVICE_MIRROR_STAGE: STAGE,
    EKS_SERVICE_MIRROR_STATUS_URL: endpoints.statusUrl,
  };
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`);
  return ['unset AWS_PROFILE AWS_SESSION_TOKEN', ...lines, ''].join('\n');
}
