// Keys that requests to AWS are signed with.

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date; // absent: they stay, or nobody said until when
}

/** Where they come from. Both throw ClusterError. */
export interface CredentialSource {
  get(): Promise<AwsCredentials>;
  /** New ones, whatever is remembered. */
  renew(): Promise<AwsCredentials>;
}
