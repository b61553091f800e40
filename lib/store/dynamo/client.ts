// The DynamoDB client that the stores are made for: fails in seconds, so that a function can still say why.
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** ms. Without `throwOnRequestTimeout` the SDK only warns when the time is over, and waits on. */
const PATIENCE = { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true };

/** Region, endpoint and credentials come from where the SDK looks for them by itself, unless `config` says otherwise. */
export const dynamoClient = (config: DynamoDBClientConfig = {}): DynamoDBClient =>
  new DynamoDBClient({ maxAttempts: 3, requestHandler: PATIENCE, ...config });
