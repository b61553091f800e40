// The SQS client that queues are made for: fails in seconds, so that a function can still say why.
import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';

/** ms. Without `throwOnRequestTimeout` the SDK only warns when the time is over, and waits on. */
const PATIENCE = { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true };

/**
 * Region, endpoint and credentials come from where the SDK looks for them by itself, unless `config` says otherwise. Requests go to
 * that endpoint and not to the host in a queue's URL: the two differ behind a VPC endpoint and on a stand-in.
 */
export const sqsClient = (config: SQSClientConfig = {}): SQSClient =>
  new SQSClient({ maxAttempts: 3, requestHandler: PATIENCE, useQueueUrlAsEndpoint: false, ...config });
